#include "search/time_left.h"

#include <algorithm>

#include <fmt/format.h>

namespace cambium::search {
namespace {

// A job counts as at most so many times the mean of earlier jobs: a retried job, or one that shared
// the machine, says little about others.
constexpr double kMostOfMean = 4;
// The mean is over about so many jobs, because a search may move to another machine.
constexpr std::int64_t kRemembered = 50;

}  // namespace

std::string TimeLeft::kind_of(const std::string& evaluator, double fidelity) {
  return fmt::format("{} {}", evaluator, fidelity);
}

void TimeLeft::note(const store::Evaluation& evaluation) {
  if (evaluation.state == store::EvaluationState::Pending || evaluation.seconds <= 0) return;
  ++jobs_;
  Mean& mean = means_[kind_of(evaluation.key.evaluator, evaluation.key.fidelity)];
  ++mean.count;
  const double seconds = mean.count == 1 ? evaluation.seconds
                                         : std::min(evaluation.seconds, kMostOfMean * mean.seconds);
  mean.seconds += (seconds - mean.seconds) / static_cast<double>(std::min(mean.count, kRemembered));
}

double TimeLeft::planned_seconds(std::span<const Planned> planned) const {
  double sum = 0;
  for (const Planned& each : planned) {
    if (each.jobs <= 0) continue;
    const auto mean = means_.find(each.kind);
    if (mean == means_.end()) return 0;
    sum += each.jobs * mean->second.seconds / std::max(each.at_a_time, 1);
  }
  return sum;
}

double TimeLeft::at(double now, std::span<const Planned> planned) {
  const double seconds = planned_seconds(planned);
  if (seconds <= 0) {
    told_.reset();
    return 0;
  }
  if (!told_) {
    told_ = {seconds, now, jobs_};
    return seconds;
  }
  // A job that takes longer than all earlier ones does not bring the end nearer.
  const double counted = std::max(told_->left - (now - told_->at), told_->left / kMostChange);
  if (told_->jobs == jobs_) return counted;
  told_ = {std::clamp(seconds, counted / kMostChange, told_->left * kMostChange), now, jobs_};
  return told_->left;
}

}  // namespace cambium::search

#include "search/testing/fake_executor.h"

#include <chrono>
#include <thread>
#include <utility>

#include "spaces/candidate.h"

namespace cambium::search::testing {

Result<Offer> FakeExecutor::offer(const std::string& evaluator) const {
  if (absent.count(evaluator) != 0) {
    return Rejection(Reason::Unavailable, evaluator, "tests have taken it away");
  }
  return Offer{"fake 1", evaluator == "latency" ? fingerprint_of("fake machine") : Fingerprint{},
               job_seconds};
}

void FakeExecutor::submit(Job job) {
  waiting_.push_back(std::move(job));
}

std::optional<JobResult> FakeExecutor::wait(double) {
  if (waiting_.empty()) return std::nullopt;
  if (milliseconds > 0) {
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(milliseconds));
  }
  const auto chosen = static_cast<std::ptrdiff_t>(rng_.below(waiting_.size()));
  const Job job = waiting_[static_cast<std::size_t>(chosen)];
  waiting_.erase(waiting_.begin() + chosen);
  ++evaluated_[job.key];
  ++count_;
  if (watch) watch(job);
  return result_of(job);
}

JobResult FakeExecutor::result_of(const Job& job) {
  JobResult result;
  result.id = job.id;
  result.evaluation.seconds = seconds;
  const bool is_broken = sound > 0 && count_ > sound;
  if (is_broken || deadly.count(job.key.candidate) > 0) {
    result.evaluation.state = store::EvaluationState::Refused;
    result.evaluation.reason = name_of(is_broken ? breaks_with : Reason::WorkerDied);
    result.evaluation.detail = "no device answers";
    return result;
  }
  const auto candidate = spaces::parse_candidate(job.candidate);
  const bool is_original = candidate.ok() && candidate->edits.empty();
  // Values depend on content only, not on any order.
  Rng luck(fingerprint_of(job.key.candidate, job.key.evaluator, job.key.seed).low);
  if (is_original ? refuses_original : luck.chance(0.1)) {
    result.evaluation.state = store::EvaluationState::Refused;
    result.evaluation.reason = name_of(Reason::NotPromising);
    result.evaluation.detail = "the fake does not like it";
    return result;
  }
  const double value = is_original ? 0.5 : luck.uniform();
  if (job.key.evaluator == "latency") {
    result.evaluation.values["latency"] = {(0.5 + value) * 1e-3, 0.01, 5, false};
    if (!is_original && job.key.fidelity > 0) {
      result.evaluation.values["speedup"] = {1 / (0.5 + value), 0.01, 5, false};
    }
  } else if (job.key.evaluator == "accuracy") {
    const std::vector<double> points = curve(value);
    result.evaluation.values["accuracy"] = {points.back(), 0, 1, false};
    result.evaluation.curve = {{1, points[0], 1, 1}, {2, points[1], 0.5, 2}};
  } else {
    result.evaluation.values[job.key.evaluator] = {is_negative ? -value : value, 0, 1, false};
  }
  for (auto& [name, each] : result.evaluation.values) {
    each.is_estimate = estimating.count(job.key.evaluator) > 0;
  }
  return result;
}

}  // namespace cambium::search::testing

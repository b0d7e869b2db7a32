#include "study/ways.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace cambium::study {
namespace {

using store::Evaluation;
using store::EvaluationState;

// Evaluations with an estimate stand before those without.
std::vector<Evaluation> one_of_each_seed(std::vector<Evaluation> waiting) {
  std::stable_sort(waiting.begin(), waiting.end(), [](const Evaluation& a, const Evaluation& b) {
    return std::pair(a.key.seed, a.values.empty()) < std::pair(b.key.seed, b.values.empty());
  });
  const auto end = std::unique(
      waiting.begin(), waiting.end(),
      [](const Evaluation& a, const Evaluation& b) { return a.key.seed == b.key.seed; });
  waiting.erase(end, waiting.end());
  return waiting;
}

}  // namespace

Way way_of(const store::EvaluationKey& key) {
  return {key.version, key.machine};
}

void Ways::count(const Evaluation& evaluation) {
  if (evaluation.state == EvaluationState::Done) ++done_[way_of(evaluation.key)];
}

std::optional<Fingerprint> Ways::machine() const {
  if (own_) return own_->machine;
  const Way* best = nullptr;
  for (const auto& [way, count] : done_) {
    if (best == nullptr || is_before(way, *best)) best = &way;
  }
  return best == nullptr ? std::nullopt : std::optional(best->machine);
}

std::int64_t Ways::answers() const {
  std::int64_t all = 0;
  for (const auto& [way, count] : done_) all += count;
  return all;
}

bool Ways::is_before(const Way& a, const Way& b) const {
  const auto rank = [this](const Way& way) {
    const auto found = done_.find(way);
    return std::tuple(own_ == way, found == done_.end() ? 0 : found->second, way);
  };
  return rank(b) < rank(a);
}

std::vector<Evaluation> Ways::chosen(std::vector<Evaluation> evaluations) const {
  std::optional<Way> best;
  for (const Evaluation& each : evaluations) {
    if (each.state == EvaluationState::Pending) continue;
    const Way way = way_of(each.key);
    if (!best || is_before(way, *best)) best = way;
  }
  if (!best) return one_of_each_seed(std::move(evaluations));
  std::erase_if(evaluations, [&](const Evaluation& each) {
    return each.state == EvaluationState::Pending || way_of(each.key) != *best;
  });
  return evaluations;
}

}  // namespace cambium::study

#include "search/ways.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace cambium::search {
namespace {

using store::Evaluation;
using store::EvaluationState;

Way way_of(const Evaluation& evaluation) {
  return {evaluation.key.version, evaluation.key.machine};
}

// Those with an estimate before those without.
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

void Ways::count(const Evaluation& evaluation) {
  if (evaluation.state == EvaluationState::Done) ++done_[way_of(evaluation)];
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
    const Way way = way_of(each);
    if (!best || is_before(way, *best)) best = way;
  }
  if (!best) return one_of_each_seed(std::move(evaluations));
  std::erase_if(evaluations, [&](const Evaluation& each) {
    return each.state == EvaluationState::Pending || way_of(each) != *best;
  });
  return evaluations;
}

}  // namespace cambium::search

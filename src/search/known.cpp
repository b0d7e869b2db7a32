#include "search/known.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "search/passage.h"

namespace cambium::search {
namespace {

// What is known of one candidate while its evaluations come one by one.
struct Gathered {
  std::vector<std::vector<store::Evaluation>> by_stage;
  std::map<std::string, store::StudyValue> cost;
  bool is_refused = false;
};

// What was measured takes the place of what stood in for it.
void put(std::vector<store::Evaluation>& evaluations, const store::Evaluation& evaluation) {
  const auto is_pending = [](const store::Evaluation& each) {
    return each.state == store::EvaluationState::Pending;
  };
  for (store::Evaluation& known : evaluations) {
    if (known.key.seed != evaluation.key.seed) continue;
    if (is_pending(evaluation)) return;
    if (is_pending(known)) {
      known = evaluation;
      return;
    }
  }
  evaluations.push_back(evaluation);
}

}  // namespace

Known::Known(std::span<const Stage> stages, std::span<const Metric> objectives)
    : stages_(stages.begin(), stages.end()), objectives_(objectives.begin(), objectives.end()) {}

Status Known::load(store::StudyStore& study) {
  std::unordered_map<Fingerprint, Gathered> all;
  CAMBIUM_REQUIRE(study.each_evaluation([&](const store::Evaluation& evaluation) {
    Gathered& one = all[evaluation.key.candidate];
    one.by_stage.resize(stages_.size());
    const bool is_refused = evaluation.state == store::EvaluationState::Refused;
    if (evaluation.key.evaluator == "cost") {
      one.cost = evaluation.values;
      one.is_refused |= is_refused;
    }
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      const Stage& stage = stages_[i];
      const bool is_of_stage =
          evaluation.key.evaluator == stage.evaluator && evaluation.key.options == stage.options &&
          evaluation.key.fidelity == stage.fidelity &&
          std::count(stage.seeds.begin(), stage.seeds.end(), evaluation.key.seed) > 0;
      if (!is_of_stage) continue;
      one.is_refused |= is_refused;
      put(one.by_stage[i], evaluation);
    }
    return true;
  }));
  for (const auto& [identity, one] : all) {
    const bool passed = std::all_of(one.by_stage.begin(), one.by_stage.end(),
                                    [](const auto& evaluations) { return !evaluations.empty(); });
    if (one.is_refused || !passed || one.cost.empty()) continue;
    Scores scores;
    add_scores(one.cost, scores);
    for (const auto& evaluations : one.by_stage) add_scores(joined(evaluations), scores);
    add(identity, scores);
  }
  return Ok{};
}

void Known::add(Fingerprint candidate, const Scores& scores) {
  if (!passed_.insert_or_assign(candidate, scores).second) {
    std::erase_if(front_, [&](const Entry& entry) { return entry.identity == candidate; });
  }
  for (const Metric metric : objectives_) {
    if (!scores.at(metric)) return;
  }
  for (const Entry& entry : front_) {
    if (dominates(entry.scores, scores, objectives_)) return;
  }
  std::erase_if(front_,
                [&](const Entry& entry) { return dominates(scores, entry.scores, objectives_); });
  front_.push_back({candidate, scores});
}

const Scores* Known::find(Fingerprint candidate) const {
  const auto found = passed_.find(candidate);
  return found == passed_.end() ? nullptr : &found->second;
}

std::vector<Known::Entry> Known::finalists(std::size_t most, Fingerprint original,
                                           const Scores& reference, const RewardOptions& reward,
                                           const std::vector<Limit>& limits) const {
  std::unordered_set<Fingerprint> on_front;
  for (const Entry& entry : front_) on_front.insert(entry.identity);
  using Rank = std::tuple<bool, bool, double, Fingerprint>;
  std::vector<std::pair<Rank, Entry>> ranked;
  for (const auto& [identity, scores] : passed_) {
    if (identity == original) continue;
    ranked.push_back({{!hold(limits, scores), on_front.count(identity) == 0,
                       -reward_of(reward, scores, reference), identity},
                      {identity, scores}});
  }
  const std::size_t count = std::min(most, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(count),
                    ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Entry> chosen;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(std::move(ranked[i].second));
  return chosen;
}

}  // namespace cambium::search

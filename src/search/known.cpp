#include "search/known.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "search/passage.h"
#include "search/ways.h"

namespace cambium::search {
namespace {

// What is known of one candidate while its evaluations come one by one, by stage; cost before all.
using Gathered = std::vector<std::vector<store::Evaluation>>;

bool is_of(const Stage& stage, const store::EvaluationKey& key) {
  return key.evaluator == stage.evaluator && key.options == stage.options &&
         key.fidelity == stage.fidelity &&
         std::count(stage.seeds.begin(), stage.seeds.end(), key.seed) > 0;
}

// What tells answers apart and what they say: there may be a hundred thousand of them.
store::Evaluation without_words(const store::Evaluation& evaluation) {
  store::Evaluation plain;
  plain.key.version = evaluation.key.version;
  plain.key.machine = evaluation.key.machine;
  plain.key.seed = evaluation.key.seed;
  plain.state = evaluation.state;
  plain.values = evaluation.values;
  return plain;
}

// Of one that passed all stages.
std::optional<Scores> scores_of(Gathered& gathered, const std::vector<Ways>& ways) {
  Scores scores;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const auto chosen = ways[i].chosen(std::move(gathered[i]));
    const bool is_refused = std::any_of(chosen.begin(), chosen.end(), [](const auto& each) {
      return each.state == store::EvaluationState::Refused;
    });
    if (chosen.empty() || is_refused) return std::nullopt;
    add_scores(joined(chosen), scores);
  }
  return scores;
}

}  // namespace

Known::Known(std::span<const Stage> stages, std::span<const Metric> objectives)
    : stages_(stages.begin(), stages.end()), objectives_(objectives.begin(), objectives.end()) {}

Status Known::load(store::StudyStore& study, const Executor& executor) {
  std::vector<Stage> stages = {cost_stage()};
  stages.insert(stages.end(), stages_.begin(), stages_.end());
  std::vector<Ways> ways = {Ways(Way{kCostVersion, {}})};
  for (const Stage& stage : stages_) {
    const auto offer = executor.offer(stage.evaluator);
    ways.emplace_back(offer.ok() ? std::optional(Way{offer->version, offer->machine})
                                 : std::nullopt);
  }
  std::unordered_map<Fingerprint, Gathered> all;
  CAMBIUM_REQUIRE(study.each_evaluation([&](const store::Evaluation& evaluation) {
    for (std::size_t i = 0; i < stages.size(); ++i) {
      if (!is_of(stages[i], evaluation.key)) continue;
      Gathered& one = all[evaluation.key.candidate];
      one.resize(stages.size());
      one[i].push_back(without_words(evaluation));
      ways[i].count(evaluation);
    }
    return true;
  }));
  for (auto& [identity, gathered] : all) {
    if (const auto scores = scores_of(gathered, ways)) add(identity, *scores);
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
  const double least = reward_of(reward, reference, reference);
  std::size_t promising = 0;  // so many lead the ranking
  for (const auto& [identity, scores] : passed_) {
    if (identity == original) continue;
    const bool holds = hold(limits, scores), is_on_front = on_front.count(identity) > 0;
    const double earned = reward_of(reward, scores, reference);
    if (holds && is_on_front && earned > least) ++promising;
    ranked.push_back({{!holds, !is_on_front, -earned, identity}, {identity, scores}});
  }
  std::sort(ranked.begin(), ranked.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  const std::size_t count = std::min(most, ranked.size());
  std::vector<Entry> chosen;
  for (std::size_t i = 0; i < count; ++i) {
    const bool spreads = promising > count && count > 1;
    const std::size_t at = spreads ? i * (promising - 1) / (count - 1) : i;
    chosen.push_back(std::move(ranked[at].second));
  }
  return chosen;
}

}  // namespace cambium::search

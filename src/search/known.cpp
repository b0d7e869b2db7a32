#include "search/known.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "search/passage.h"
#include "study/ways.h"

namespace cambium::search {
namespace {

// The evaluations of one candidate by stage; the cost comes first.
using Gathered = std::vector<std::vector<store::Evaluation>>;

bool is_of(const Stage& stage, const store::EvaluationKey& key) {
  return key.evaluator == stage.evaluator && key.options == stage.options &&
         key.fidelity == stage.fidelity &&
         std::count(stage.seeds.begin(), stage.seeds.end(), key.seed) > 0;
}

// Keeps only what is needed, because there may be a hundred thousand evaluations.
store::Evaluation without_words(const store::Evaluation& evaluation) {
  store::Evaluation plain;
  plain.key.version = evaluation.key.version;
  plain.key.machine = evaluation.key.machine;
  plain.key.seed = evaluation.key.seed;
  plain.state = evaluation.state;
  plain.values = evaluation.values;
  return plain;
}

StageValues plain(const std::map<std::string, store::StudyValue>& values) {
  StageValues plain;
  for (const auto& [name, value] : values) plain.emplace(name, value.value);
  return plain;
}

// Whether no threshold of the stage refuses the candidate. The cost has no gates.
bool keeps(const Yardstick& yardstick, std::span<const Stage> stages, std::size_t at,
           const std::map<std::string, store::StudyValue>& values, const study::Scores& scores) {
  if (broken_limit(yardstick.limits, scores)) return false;
  if (at == 0 || yardstick.original == nullptr) return true;
  return !closed_gate(stages[at], plain(values), (*yardstick.original)[at - 1]);
}

// The scores of a candidate that passed all stages. `yardstick`: null if it need not be kept.
std::optional<study::Scores> scores_of(Gathered& gathered, const std::vector<study::Ways>& ways,
                                       std::span<const Stage> stages, const Yardstick* yardstick) {
  study::Scores scores;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const auto chosen = ways[i].chosen(std::move(gathered[i]));
    const bool is_refused = std::any_of(chosen.begin(), chosen.end(), [](const auto& each) {
      return each.state == store::EvaluationState::Refused;
    });
    if (chosen.empty() || is_refused) return std::nullopt;
    const Fingerprint machine = chosen.front().key.machine;
    const bool is_elsewhere = machine != Fingerprint{} && machine != ways[i].machine();
    const auto values = study::joined(chosen);
    add_scores(values, scores, is_elsewhere);
    if (yardstick != nullptr && !keeps(*yardstick, stages, i, values, scores)) return std::nullopt;
  }
  return scores;
}

}  // namespace

Known::Known(std::span<const Stage> stages, std::span<const study::Metric> objectives)
    : stages_(stages.begin(), stages.end()), objectives_(objectives.begin(), objectives.end()) {}

Status Known::load(store::StudyStore& study, const Executor& executor, const Yardstick& yardstick,
                   const std::set<Fingerprint>& exempt) {
  std::vector<Stage> stages = {cost_stage()};
  stages.insert(stages.end(), stages_.begin(), stages_.end());
  std::vector<study::Ways> ways = {study::Ways(study::Way{kCostVersion, {}})};
  for (const Stage& stage : stages_) {
    const auto offer = executor.offer(stage.evaluator);
    ways.emplace_back(offer.ok() ? std::optional(study::Way{offer->version, offer->machine})
                                 : std::nullopt);
  }
  std::vector<std::pair<Fingerprint, Gathered>> all;  // in the order of the study
  std::unordered_map<Fingerprint, std::size_t> index;
  std::set<Fingerprint> refused;  // by thresholds
  CAMBIUM_REQUIRE(study.each_evaluation([&](const store::Evaluation& evaluation) {
    if (evaluation.key.evaluator == study::kFunnelEvaluator)
      refused.insert(evaluation.key.candidate);
    for (std::size_t i = 0; i < stages.size(); ++i) {
      if (!is_of(stages[i], evaluation.key)) continue;
      const Fingerprint candidate = evaluation.key.candidate;
      const auto [found, is_new] = index.try_emplace(candidate, all.size());
      if (is_new) all.emplace_back(candidate, Gathered(stages.size()));
      all[found->second].second[i].push_back(without_words(evaluation));
      ways[i].count(evaluation);
    }
    return true;
  }));
  for (auto& [identity, gathered] : all) {
    const bool must_keep = refused.count(identity) > 0 && exempt.count(identity) == 0;
    if (const auto scores = scores_of(gathered, ways, stages, must_keep ? &yardstick : nullptr)) {
      add(identity, *scores);
    }
  }
  return Ok{};
}

void Known::insert(const Entry& entry, std::span<const study::Metric> objectives,
                   std::vector<Entry>& front) {
  for (const Entry& other : front) {
    if (dominates(other.scores, entry.scores, objectives)) return;
  }
  std::erase_if(
      front, [&](const Entry& other) { return dominates(entry.scores, other.scores, objectives); });
  front.push_back(entry);
}

void Known::add(Fingerprint candidate, const study::Scores& scores) {
  if (!passed_.insert_or_assign(candidate, scores).second) {
    for (std::vector<Entry>* front : {&front_, &shown_}) {
      std::erase_if(*front, [&](const Entry& entry) { return entry.identity == candidate; });
    }
  }
  bool is_here = true;
  for (const study::Metric metric : objectives_) {
    if (!scores.at(metric)) return;
    is_here = is_here && !scores.at(metric)->is_elsewhere;
  }
  insert({candidate, scores}, objectives_, front_);
  if (is_here) insert({candidate, scores}, objectives_, shown_);
}

std::vector<Known::Entry> Known::front() const {
  std::vector<study::Scores> scores;
  for (const Entry& entry : shown_) scores.push_back(entry.scores);
  std::vector<Entry> front;
  for (const std::size_t i : study::pareto_front(scores, objectives_)) front.push_back(shown_[i]);
  return front;
}

const study::Scores* Known::find(Fingerprint candidate) const {
  const auto found = passed_.find(candidate);
  return found == passed_.end() ? nullptr : &found->second;
}

std::vector<Known::Entry> Known::finalists(std::size_t most, Fingerprint original,
                                           const study::Scores& reference,
                                           const RewardOptions& reward,
                                           const std::vector<study::Limit>& limits) const {
  std::unordered_set<Fingerprint> on_front;
  for (const Entry& entry : front_) on_front.insert(entry.identity);
  using Rank = std::tuple<bool, bool, double, Fingerprint>;
  std::vector<std::pair<Rank, Entry>> ranked;
  const double least = reward_of(reward, reference, reference);
  std::size_t promising = 0;  // they lead the ranking
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

#include "study/record.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace cambium::study {
namespace {

using store::EvaluationState;

constexpr std::uint32_t kMeasured = std::uint32_t{1} << 31;

}  // namespace

std::string refusal_options(const std::string& search, const std::string& stage) {
  return json_text({{"search", search}, {"stage", stage}});
}

const std::vector<Metric>& front_objectives(const Goals& goals,
                                            std::span<const Scores* const> candidates) {
  const bool is_known =
      std::any_of(candidates.begin(), candidates.end(), [&](const Scores* scores) {
        return scores != nullptr && has_all(*scores, goals.objectives);
      });
  return is_known || goals.exploring.empty() ? goals.objectives : goals.exploring;
}

std::vector<Metric> Record::add(const store::Evaluation& evaluation, const Census& census) {
  std::vector<Metric> changed;
  const auto place = census.place_of(evaluation.key);
  if (!place) return changed;
  add_answer(evaluation, *place);
  if (evaluation.state == EvaluationState::Refused) return changed;
  for (const auto& [name, value] : evaluation.values) {
    const auto metric = metric_named(name);
    if (!metric || !std::isfinite(value.value)) continue;
    if (census.is_elsewhere(evaluation.key) && !value.is_estimate) continue;
    const std::uint32_t rank = place->rank | (value.is_estimate ? 0 : kMeasured);
    if (add_value(*metric, value, rank, evaluation.key)) changed.push_back(*metric);
  }
  return changed;
}

bool Record::add_value(Metric metric, const store::StudyValue& value, std::uint32_t rank,
                       const store::EvaluationKey& key) {
  Counted& counted = counted_[static_cast<std::size_t>(metric)];
  if (rank < counted.rank) return false;
  const auto is_of_metric = [&](const Seed& each) { return each.metric == metric; };
  if (rank > counted.rank) {
    std::erase_if(seeds_, is_of_metric);
    counted = {rank, key.seed};
    scores_.set(metric, {value.value, value.spread, value.is_estimate, false, 1, key.fidelity});
    return true;
  }
  if (std::none_of(seeds_.begin(), seeds_.end(), is_of_metric)) {
    const Value& first = *scores_.at(metric);
    seeds_.push_back({metric, counted.seed, {first.value, first.spread, 1, first.is_estimate}});
  }
  seeds_.push_back({metric, key.seed, value});
  std::vector<std::pair<std::uint64_t, store::StudyValue>> by_seed;
  for (const Seed& each : seeds_) {
    if (is_of_metric(each)) by_seed.emplace_back(each.seed, each.value);
  }
  const auto count = static_cast<std::int32_t>(by_seed.size());
  const store::StudyValue mean = joined(std::move(by_seed));
  scores_.set(metric, {mean.value, mean.spread, mean.is_estimate, false, count, key.fidelity});
  return true;
}

void Record::add_answer(const store::Evaluation& evaluation, const Census::Place& place) {
  const bool is_pending = evaluation.state == EvaluationState::Pending;
  const std::uint32_t rank = is_pending ? 0 : place.rank;
  const bool is_refused = evaluation.state == EvaluationState::Refused;
  const auto found = std::find_if(answers_.begin(), answers_.end(), [&](const Answer& each) {
    return each.question == place.question;
  });
  if (found == answers_.end()) {
    answers_.push_back({place.question, rank, is_refused});
  } else if (rank > found->rank) {
    *found = {place.question, rank, is_refused};
  } else if (rank == found->rank) {
    found->is_refused |= is_refused;
  }
}

bool Record::has_passed(const Goals& goals, const Census& census) const {
  const auto is_by_funnel = [&](const Answer& answer) {
    return census.evaluator_of(answer.question) == kFunnelEvaluator &&
           std::find(goals.refusals.begin(), goals.refusals.end(),
                     census.options_of(answer.question)) != goals.refusals.end();
  };
  if (std::any_of(answers_.begin(), answers_.end(), is_by_funnel)) return false;
  const auto has_answered = [&](const std::string& evaluator) {
    return std::any_of(answers_.begin(), answers_.end(), [&](const Answer& answer) {
      return !answer.is_refused && census.evaluator_of(answer.question) == evaluator;
    });
  };
  return std::all_of(goals.evaluators.begin(), goals.evaluators.end(), has_answered);
}

bool is_original(const store::StudyCandidate& candidate) {
  // Its document holds a fingerprint and little else.
  if (candidate.document.size() > 1000) return false;
  const auto json = parse_json(candidate.document);
  if (!json.ok() || !json->is_object()) return false;
  const auto edits = json->find("edits");
  return edits != json->end() && edits->is_array() && edits->empty();
}

std::string short_id(Fingerprint candidate) {
  return candidate.text().substr(0, 8);
}

std::string long_id(Fingerprint candidate) {
  return candidate.text().substr(0, 16);
}

}  // namespace cambium::study

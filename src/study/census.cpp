#include "study/census.h"

#include <algorithm>
#include <set>
#include <utility>

#include "study/metric.h"

namespace cambium::study {
namespace {

bool has_measured_latency(const store::Evaluation& evaluation) {
  const auto latency = evaluation.values.find(std::string(name_of(Metric::Latency)));
  return latency != evaluation.values.end() && !latency->second.is_estimate;
}

}  // namespace

Question question_of(const store::EvaluationKey& key) {
  return {key.evaluator, key.options, key.fidelity};
}

Result<Census> Census::of(store::StudyStore& study, const std::optional<Fingerprint>& machine) {
  std::map<Question, Ways> ways;
  std::set<Answer> answers;
  std::map<Fingerprint, std::int64_t> times;
  CAMBIUM_REQUIRE(study.each_evaluation([&](const store::Evaluation& evaluation) {
    const Question question = question_of(evaluation.key);
    ways[question].count(evaluation);
    answers.emplace(question, way_of(evaluation.key));
    if (has_measured_latency(evaluation)) ++times[evaluation.key.machine];
    return true;
  }));
  Census census;
  std::int64_t most = 0;
  for (const auto& [place, count] : times) {
    if (count > most) census.machine_ = place;
    most = std::max(most, count);
  }
  if (machine) census.machine_ = *machine;
  census.rank_all(ways, {answers.begin(), answers.end()});
  return census;
}

void Census::rank_all(const std::map<Question, Ways>& ways, std::vector<Answer> answers) {
  std::map<Question, std::uint32_t> numbers;
  for (const auto& [question, all] : ways) {
    numbers.emplace(question, static_cast<std::uint32_t>(questions_.size()));
    questions_.push_back(question);
  }
  const auto key = [&](const Answer& answer) {
    return std::tuple(std::get<2>(answer.first), ways.at(answer.first).answers(), answer.first);
  };
  std::sort(answers.begin(), answers.end(), [&](const Answer& a, const Answer& b) {
    if (a.first != b.first) return key(a) < key(b);
    const bool is_a_here = a.second.machine == machine_, is_b_here = b.second.machine == machine_;
    if (is_a_here != is_b_here) return is_b_here;
    return ways.at(a.first).is_before(b.second, a.second);
  });
  std::uint32_t rank = 0;
  for (Answer& answer : answers) {
    const std::uint32_t question = numbers.at(answer.first);
    places_.emplace(std::move(answer), Place{question, ++rank});
  }
}

bool Census::is_elsewhere(const store::EvaluationKey& key) const {
  return key.machine != Fingerprint{} && key.machine != machine_;
}

std::optional<Census::Place> Census::place_of(const store::EvaluationKey& key) const {
  const auto found = places_.find({question_of(key), way_of(key)});
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace cambium::study

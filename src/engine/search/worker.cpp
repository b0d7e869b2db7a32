#include "engine/search/worker.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <istream>
#include <optional>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "engine/search/evaluators.h"
#include "engine/search/fields.h"
#include "spaces/candidate.h"
#include "spaces/origins.h"

namespace cambium::engine {
namespace {

// JSON has no such numbers, and they cannot be compared.
std::optional<Rejection> unusable(const std::map<std::string, store::StudyValue>& values) {
  for (const auto& [name, value] : values) {
    if (std::isfinite(value.value) && std::isfinite(value.spread)) continue;
    return Rejection(Reason::NotPromising, name, "it is not a finite number");
  }
  return std::nullopt;
}

// An option that nobody reads would be part of a key and change nothing.
Status check_options(const Evaluator& evaluator, const nlohmann::json& options) {
  if (!options.is_object()) return Rejection(Reason::BadJob, "options are a JSON object");
  const EvaluatorRow* const row = find_evaluator(evaluator.name);
  if (row == nullptr) return Ok{};  // of a test
  for (const auto& [name, value] : options.items()) {
    if (std::count(row->options.begin(), row->options.end(), name) > 0) continue;
    return Rejection(Reason::BadJob, fmt::format("evaluator '{}' has no option '{}'; it has: {}",
                                                 row->name, name, join(row->options, ", ")));
  }
  return Ok{};
}

}  // namespace

Worker::Worker(std::vector<Evaluator> evaluators, std::string folder)
    : evaluators_(std::move(evaluators)), folder_(std::move(folder)) {}

void Worker::hand_over(const std::vector<std::string>& evaluators, std::vector<std::string> argv) {
  const auto delegate = std::make_shared<Delegate>(std::move(argv));
  for (const std::string& evaluator : evaluators) delegates_[evaluator] = delegate;
}

void Worker::lack(const std::vector<std::string>& evaluators, const Rejection& why) {
  for (const std::string& evaluator : evaluators) absences_.emplace(evaluator, why);
}

Result<const Worker::Base*> Worker::base_of(const JobSetting& setting) {
  std::unique_ptr<Base>& base =
      bases_[{setting.model, json_text(object_of(setting.bind)), setting.spaces}];
  if (!base) {
    CAMBIUM_TRY(model::Model model, load_base(setting.model, setting.bind));
    CAMBIUM_TRY(Spaces spaces, make_spaces(model, setting.spaces));
    base = std::make_unique<Base>(Base{std::move(model), std::move(spaces)});
  }
  return base.get();
}

Result<Findings> Worker::evaluate(const ReadJob& read) {
  const store::EvaluationKey& key = read.job.key;
  if (const auto absent = absences_.find(key.evaluator); absent != absences_.end()) {
    return absent->second;
  }
  const auto evaluator =
      std::find_if(evaluators_.begin(), evaluators_.end(),
                   [&](const Evaluator& each) { return each.name == key.evaluator; });
  if (evaluator == evaluators_.end()) {
    return Rejection(Reason::BadJob,
                     fmt::format("this worker has no evaluator '{}'", key.evaluator));
  }
  if (evaluator->version != key.version) {
    return Rejection(Reason::BadJob, fmt::format("evaluator '{}' has version {}, not {}",
                                                 key.evaluator, evaluator->version, key.version));
  }
  CAMBIUM_TRY(const nlohmann::json options, parse_json(key.options));
  CAMBIUM_REQUIRE(check_options(*evaluator, options));
  CAMBIUM_TRY(const Base* base, base_of(read.setting));
  CAMBIUM_TRY(const spaces::Candidate candidate, spaces::parse_candidate(read.job.candidate));
  CAMBIUM_TRY(const model::Model model,
              spaces::apply(base->model, candidate, pointers(base->spaces)));
  const auto origins = [&] {
    return spaces::origins_of(base->model, candidate, pointers(base->spaces));
  };
  return evaluator->evaluate({model, key, read.setting, options, read.job.reference,
                              candidate.edits.empty(), &base->model, origins});
}

std::string Worker::answer(const std::string& line) {
  const auto begin = std::chrono::steady_clock::now();
  search::JobResult result;
  const auto refuse = [&](const Rejection& why) {
    result.evaluation.state = store::EvaluationState::Refused;
    result.evaluation.reason = name_of(why.reason());
    result.evaluation.detail = why.message();
  };
  const auto read = parse_job(line);
  if (!read.ok()) {
    refuse(read.rejection());
  } else {
    result.id = read->job.id;
    if (const auto other = delegates_.find(read->job.key.evaluator); other != delegates_.end()) {
      auto answered = other->second->answer(line, result.id);
      if (answered.ok()) return std::move(answered).value();
      refuse(answered.rejection());
      return result_line(result, folder_).value();
    }
    auto findings = evaluate(*read);
    if (findings.ok()) {
      if (const auto why = unusable(findings->values)) {
        if (!findings->refused) findings->refused = *why;
        findings->values.clear();
      }
      if (findings->refused) refuse(*findings->refused);
      result.evaluation.values = std::move(findings->values);
      result.evaluation.curve = std::move(findings->curve);
      result.artifacts = std::move(findings->artifacts);
      result.device = findings->device;
    } else {
      refuse(findings.rejection());
    }
  }
  result.evaluation.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  auto text = result_line(result, folder_);
  if (text.ok()) return std::move(text).value();
  // A result cannot be passed on without its artifacts.
  refuse(text.rejection());
  result.evaluation.values.clear();
  result.artifacts.clear();
  return result_line(result, folder_).value();
}

void Worker::serve(std::istream& in, std::ostream& out) {
  std::string line;
  while (std::getline(in, line)) {
    if (!line.empty()) out << answer(line) << std::endl;
  }
}

}  // namespace cambium::engine

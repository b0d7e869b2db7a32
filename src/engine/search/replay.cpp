#include "engine/search/replay.h"

#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "engine/documents.h"
#include "engine/search/evaluators.h"
#include "engine/search/job_lines.h"
#include "engine/search/studies.h"
#include "engine/utf8_texts.h"
#include "spaces/candidate.h"
#include "store/study_store.h"

namespace cambium::engine {
namespace {

using store::EvaluationState;
using store::StudyStore;

// The settings of the search that found the candidate, or of the first search if it is unknown.
Result<SearchRun> run_of(const std::string& study, const std::string& search,
                         const SearchRun& otherwise) {
  const auto own = kept_search(study, search, otherwise);
  if (!search.empty() && own.ok()) return own->run;
  CAMBIUM_TRY(KeptSearch first, first_search(study, otherwise));
  return std::move(first.run);
}

Result<JobSetting> setting_of(const std::string& study, const std::string& search,
                              const ReplayOptions& options) {
  CAMBIUM_TRY(const SearchSetup setup, setup_of(study));
  CAMBIUM_TRY(const SearchRun run, run_of(study, search, options.otherwise));
  JobSetting setting;
  setting.model = setup.model;
  setting.bind = setup.bind;
  setting.data = setup.data;
  setting.spaces = to_json(setup.spaces);
  setting.db = options.db.empty() ? study + ".tuning" : options.db;
  setting.machine_file = options.machine_file;
  // One device of several is enough. A search that left trainings to others does not know theirs.
  const std::string kept(split(run.device, ',').front());
  setting.device = options.device.value_or(kept == kNoDevice ? options.otherwise.device : kept);
  setting.threads = options.threads.value_or(run.threads);
  CAMBIUM_REQUIRE(check_utf8(
      {{"study", setting.db}, {"device", setting.device}, {"cache", setting.machine_file}}));
  return setting;
}

// The curve of the original under the same key, for rules that end trainings.
Result<std::vector<double>> reference_for(StudyStore& store, const spaces::Candidate& candidate,
                                          store::EvaluationKey key) {
  std::vector<double> curve;
  if (candidate.edits.empty()) return curve;
  key.candidate = identity_of(spaces::Candidate{candidate.base, {}, std::nullopt});
  CAMBIUM_TRY(const std::optional<store::Evaluation> original, store.evaluation(key));
  if (!original || original->state != EvaluationState::Done) return curve;
  for (const store::CurvePoint& point : original->curve) curve.push_back(point.value);
  return curve;
}

nlohmann::json json_of(const store::Evaluation& evaluation) {
  nlohmann::json values = nlohmann::json::object();
  for (const auto& [name, value] : evaluation.values) {
    values[name] = {{"value", value.value}, {"spread", value.spread}};
  }
  return {{"state", name_of(evaluation.state)},
          {"values", values},
          {"reason", evaluation.reason},
          {"detail", evaluation.detail}};
}

}  // namespace

Result<ReplayReport> replay_candidate(const std::string& study, const std::string& named,
                                      const ReplayOptions& options, const AnswerJob& answer) {
  CAMBIUM_TRY(StudyStore store, StudyStore::open(study, store::Mode::Read));
  std::string digits = named;
  if (named == "best") {
    CAMBIUM_TRY(digits, best_of_study(study));
  }
  CAMBIUM_TRY(const store::StudyCandidate row, store.candidate_named(digits));
  CAMBIUM_TRY(const JobSetting setting, setting_of(study, row.search, options));
  CAMBIUM_TRY(const spaces::Candidate candidate, spaces::parse_candidate(row.document));
  CAMBIUM_TRY(std::vector<store::Evaluation> recorded, store.evaluations(row.identity));
  ReplayReport report{row.identity, row.title, {}};
  for (store::Evaluation& each : recorded) {
    // Only evaluations of workers: costs and limits follow from the candidate and its search.
    const bool is_by_worker = find_evaluator(each.key.evaluator) != nullptr;
    if (!is_by_worker || each.state == EvaluationState::Pending) continue;
    if (!options.only.empty() && each.key.evaluator != options.only) continue;
    search::Job job;
    job.id = static_cast<std::int64_t>(report.evaluations.size()) + 1;
    job.key = each.key;
    job.candidate = row.document;
    CAMBIUM_TRY(job.reference, reference_for(store, candidate, each.key));
    CAMBIUM_TRY(search::JobResult result, parse_result(answer(job_line(job, setting))));
    result.evaluation.key = each.key;
    report.evaluations.push_back({std::move(each), std::move(result.evaluation)});
  }
  if (!report.evaluations.empty()) return report;
  const std::string what = options.only.empty() ? "a worker" : "'" + options.only + "'";
  return Rejection(Reason::NotFound, study + ": an evaluation of " + digits + " by " + what);
}

nlohmann::json to_json(const ReplayReport& report) {
  nlohmann::json out = document("replay", 1);
  out["candidate"] = report.identity.text();
  out["title"] = report.title;
  out["evaluations"] = nlohmann::json::array();
  for (const Replayed& each : report.evaluations) {
    out["evaluations"].push_back({{"evaluator", each.recorded.key.evaluator},
                                  {"version", each.recorded.key.version},
                                  {"options", each.recorded.key.options},
                                  {"fidelity", each.recorded.key.fidelity},
                                  {"seed", each.recorded.key.seed},
                                  {"recorded", json_of(each.recorded)},
                                  {"again", json_of(each.again)},
                                  {"same", each.is_same()}});
  }
  return out;
}

}  // namespace cambium::engine

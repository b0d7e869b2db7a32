#include "engine/search/studies.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/documents.h"
#include "engine/search/evaluators.h"
#include "engine/search/legality_kinds.h"
#include "engine/search/search.h"
#include "report/report.h"
#include "study/best.h"
#include "study/census.h"

namespace cambium::engine {
namespace {

using store::StudyStore;
using study::Metric;

Result<StudyStore> opened(const std::string& path) {
  return StudyStore::open(path, store::Mode::Read);
}

// What is known of all candidates of a study.
struct Known {
  struct Row {
    store::StudyCandidate candidate;  // without its document
    study::Record record;
    bool is_original = false;
  };
  study::Census census;
  std::vector<Row> rows;
};

Result<Known> known_of(StudyStore& store) {
  CAMBIUM_TRY(study::Census census, study::Census::of(store));
  Known known{std::move(census), {}};
  std::unordered_map<Fingerprint, std::size_t> index;
  CAMBIUM_REQUIRE(store.each_candidate([&](store::StudyCandidate candidate) {
    const bool is_original = study::is_original(candidate);
    candidate.document.clear();
    index.emplace(candidate.identity, known.rows.size());
    known.rows.push_back({std::move(candidate), {}, is_original});
    return true;
  }));
  CAMBIUM_REQUIRE(store.each_evaluation([&](const store::Evaluation& evaluation) {
    const auto found = index.find(evaluation.key.candidate);
    if (found != index.end()) known.rows[found->second].record.add(evaluation, known.census);
    return true;
  }));
  return known;
}

}  // namespace

Status report_study(const std::string& study, const std::string& folder) {
  CAMBIUM_TRY(StudyStore store, opened(study));
  report::ReportOptions options;
  options.study = study;
  if (const auto search = first_search(study, {}); search.ok()) options.goals = goals_of(*search);
  for (const EvaluatorRow& row : evaluator_rows()) {
    options.evaluators.emplace(row.name, row.fidelity_unit);
  }
  CAMBIUM_TRY(options.legality, legality_by_kind(store, known_step_kinds()));
  return report::write_report(store, folder, options);
}

Result<StudyStore::Merged> merge_studies(const std::string& into, const std::string& other) {
  CAMBIUM_TRY(StudyStore store, StudyStore::open(into, store::Mode::Open));
  return store.merge(other);
}

Status pack_study(const std::string& study, const std::function<bool(const std::string&)>& write) {
  CAMBIUM_TRY(StudyStore store, opened(study));
  return store.export_lines([&](const std::string& line) -> Status {
    if (write(line)) return Ok{};
    return Rejection(Reason::Unwritable, study, "the output cannot be written");
  });
}

study::Goals goals_of(const KeptSearch& search) {
  const search::Funnel funnel = search.setup.funnel();
  study::Goals goals{funnel.objectives, {}};
  goals.limits = search.setup.limits;
  goals.exploring = search::explored_objectives(funnel, search.setup.reward.cost);
  goals.refusals.push_back(study::refusal_options(search.name, study::kCostEvaluator));
  for (const search::Stage& stage : funnel.explore) {
    goals.evaluators.push_back(stage.evaluator);
    goals.refusals.push_back(study::refusal_options(search.name, stage.evaluator));
  }
  return goals;
}

Result<StudyList> list_study(const std::string& study) {
  CAMBIUM_TRY(const KeptSearch search, first_search(study, {}));
  CAMBIUM_TRY(StudyStore store, opened(study));
  CAMBIUM_TRY(const Known known, known_of(store));
  const study::Goals goals = goals_of(search);
  StudyList list;
  list.model = search.setup.model;
  list.data = search.setup.data;
  list.candidates = static_cast<std::int64_t>(known.rows.size());
  const auto add = [&list](const Known::Row& row) {
    list.rows.push_back({row.candidate.identity, row.candidate.title, row.record.scores(), false});
  };
  std::vector<const study::Scores*> all;
  std::optional<double> longest;
  for (const Known::Row& row : known.rows) {
    if (row.is_original) add(row);
    const bool takes_part = row.record.has_passed(goals, known.census);
    all.push_back(takes_part ? &row.record.scores() : nullptr);
    longest = std::max(longest, study::epochs_of(row.record.scores()));
  }
  list.objectives = study::front_objectives(goals, all);
  for (const std::size_t i : study::pareto_front(all, list.objectives)) {
    if (!known.rows[i].is_original) add(known.rows[i]);
  }
  for (StudyRow& row : list.rows) {
    const auto epochs = study::epochs_of(row.scores);
    row.is_brief = epochs && epochs < longest;
  }
  return list;
}

Result<std::string> best_of_study(const std::string& study) {
  CAMBIUM_TRY(const SearchSetup setup, setup_of(study));
  CAMBIUM_TRY(StudyStore store, opened(study));
  CAMBIUM_TRY(const Known known, known_of(store));
  const auto original = std::find_if(known.rows.begin(), known.rows.end(),
                                     [](const Known::Row& row) { return row.is_original; });
  study::Scores reference;
  if (original != known.rows.end()) reference = original->record.scores();
  const bool is_text = reference.at(Metric::Perplexity) && !reference.at(Metric::Accuracy);
  CAMBIUM_TRY(const auto rule,
              study::BestRule::of(setup.limits, reference,
                                  is_text ? Metric::Perplexity : Metric::Accuracy));
  const Known::Row* best = nullptr;
  for (const Known::Row& row : known.rows) {
    const study::Scores& scores = row.record.scores();
    if (row.is_original || !rule.allows(scores)) continue;
    if (best != nullptr && !study::is_cheaper(scores, best->record.scores())) continue;
    CAMBIUM_TRY(const auto trained, store.artifact(row.candidate.identity, kTrainedModel));
    if (trained) best = &row;
  }
  if (best != nullptr) return best->candidate.identity.text();
  return Rejection(
      Reason::NoSuchCandidate,
      fmt::format("'best' (no fully trained candidate is within the limits: {})", rule.text()),
      study);
}

nlohmann::json to_json(const StudyList& list) {
  nlohmann::json out = document("study_list", 1);
  out["model"] = list.model;
  out["data"] = list.data;
  out["candidates"] = list.candidates;
  out["objectives"] = nlohmann::json::array();
  for (const study::Metric metric : list.objectives) {
    out["objectives"].push_back(name_of(metric));
  }
  out["rows"] = nlohmann::json::array();
  for (const StudyRow& row : list.rows) {
    nlohmann::json scores = json_of(row.scores);
    for (const study::Metric metric : study::kAllMetrics) {
      const auto& value = row.scores.at(metric);
      if (value) scores[std::string(name_of(metric))]["fidelity"] = value->fidelity;
    }
    out["rows"].push_back({{"candidate", row.identity.text()},
                           {"title", row.title},
                           {"brief", row.is_brief},
                           {"scores", std::move(scores)}});
  }
  return out;
}

}  // namespace cambium::engine

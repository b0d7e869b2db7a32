#include "engine/search/studies.h"

#include <algorithm>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "engine/documents.h"
#include "engine/search/evaluator.h"
#include "engine/search/search.h"
#include "report/report.h"
#include "search/passage.h"

namespace cambium::engine {
namespace {

using store::StudyStore;

Result<StudyStore> opened(const std::string& path) {
  return StudyStore::open(path, StudyStore::Mode::Open);
}

// Of every metric the value that is known best: measured rather than estimated, then of the highest
// fidelity.
struct BestKnown {
  search::Scores scores;
  std::map<std::string, std::pair<bool, double>> known;  // by metric: measured, fidelity

  void add(const store::Evaluation& evaluation) {
    for (const auto& [name, value] : evaluation.values) {
      const auto metric = search::metric_named(name);
      if (!metric) continue;
      const std::pair rank(!value.is_estimate, evaluation.key.fidelity);
      const auto found = known.find(name);
      if (found != known.end() && found->second >= rank) continue;
      known[name] = rank;
      scores.set(*metric, {value.value, value.spread, value.is_estimate});
    }
  }
};

Status each_row(StudyStore& store,
                const std::function<void(StudyRow row, bool is_original)>& take) {
  std::map<Fingerprint, BestKnown> known;
  CAMBIUM_REQUIRE(store.each_evaluation([&](const store::Evaluation& evaluation) {
    known[evaluation.key.candidate].add(evaluation);
    return true;
  }));
  return store.each_candidate([&](const store::StudyCandidate& candidate) {
    take({candidate.identity.text(), candidate.title, known[candidate.identity].scores},
         candidate.ticket < 0);
    return true;
  });
}

}  // namespace

Status report_study(const std::string& study, const std::string& folder) {
  CAMBIUM_TRY(StudyStore store, opened(study));
  report::ReportOptions options;
  options.study = study;
  return report::write_report(store, folder, options);
}

Result<StudyStore::Merged> merge_studies(const std::string& into, const std::string& other) {
  CAMBIUM_TRY(StudyStore store, opened(into));
  return store.merge(other);
}

Status pack_study(const std::string& study, const std::function<bool(const std::string&)>& write) {
  CAMBIUM_TRY(StudyStore store, opened(study));
  return store.export_lines([&](const std::string& line) -> Status {
    if (write(line)) return Ok{};
    return Rejection(Reason::Unwritable, study, "what is packed cannot be written");
  });
}

Result<StudyList> list_study(const std::string& study) {
  CAMBIUM_TRY(const SearchSetup setup, setup_of(study));
  CAMBIUM_TRY(StudyStore store, opened(study));
  StudyList list;
  list.model = setup.model;
  list.data = setup.data;
  CAMBIUM_TRY(list.candidates, store.count_candidates());
  std::vector<StudyRow> all;
  CAMBIUM_REQUIRE(each_row(store, [&](StudyRow row, bool is_original) {
    (is_original ? list.rows : all).push_back(std::move(row));
  }));
  std::vector<search::Scores> scores;
  for (const StudyRow& row : all) scores.push_back(row.scores);
  for (const std::size_t i : search::pareto_front(scores, setup.objectives)) {
    list.rows.push_back(all[i]);
  }
  return list;
}

Result<std::string> best_of_study(const std::string& study) {
  CAMBIUM_TRY(const SearchSetup setup, setup_of(study));
  CAMBIUM_TRY(StudyStore store, opened(study));
  std::vector<StudyRow> all;
  search::Scores original;
  CAMBIUM_REQUIRE(each_row(store, [&](StudyRow row, bool is_original) {
    if (is_original) {
      original = row.scores;
    } else {
      all.push_back(std::move(row));
    }
  }));
  CAMBIUM_TRY(const auto limits, search::limits_of(setup.limits, original, false));
  const auto cost = [](const StudyRow& row) {
    const auto& latency = row.scores.at(search::Metric::Latency);
    const auto& macs = row.scores.at(search::Metric::Macs);
    return std::pair(!latency, latency ? latency->value : macs ? macs->value : 0);
  };
  const StudyRow* best = nullptr;
  for (const StudyRow& row : all) {
    if (!search::hold(limits, row.scores) || (best != nullptr && cost(*best) <= cost(row)))
      continue;
    CAMBIUM_TRY(const Fingerprint identity, Fingerprint::parse(row.candidate));
    CAMBIUM_TRY(const auto trained, store.artifact(identity, kTrainedModel));
    if (trained) best = &row;
  }
  if (best != nullptr) return best->candidate;
  return Rejection(Reason::NoSuchCandidate, "'best': none that was trained fully holds the limits",
                   study);
}

nlohmann::json to_json(const StudyList& list) {
  nlohmann::json out = document("study_list", 1);
  out["model"] = list.model;
  out["data"] = list.data;
  out["candidates"] = list.candidates;
  out["rows"] = nlohmann::json::array();
  for (const StudyRow& row : list.rows) {
    out["rows"].push_back(
        {{"candidate", row.candidate}, {"title", row.title}, {"scores", json_of(row.scores)}});
  }
  return out;
}

}  // namespace cambium::engine

#include "engine/search/studies.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include "engine/documents.h"
#include "engine/search/evaluator.h"
#include "engine/search/search.h"
#include "report/report.h"
#include "search/passage.h"
#include "spaces/candidate.h"

namespace cambium::engine {
namespace {

using store::StudyStore;

Result<StudyStore> opened(const std::string& path) {
  return StudyStore::open(path, store::Mode::Read);
}

// What can be compared: the answers of one version of an evaluator to one question.
using Question = std::tuple<std::string, std::string, std::string, double>;

Question question_of(const store::EvaluationKey& key) {
  return {key.evaluator, key.version, key.options, key.fidelity};
}

struct Census {
  Fingerprint machine;                     // that has measured most
  std::map<Question, std::int64_t> count;  // of answers, in the whole study
};

Result<Census> census_of(StudyStore& store) {
  Census census;
  std::map<Fingerprint, std::int64_t> times;
  CAMBIUM_REQUIRE(store.each_evaluation([&](const store::Evaluation& evaluation) {
    ++census.count[question_of(evaluation.key)];
    const auto latency = evaluation.values.find("latency");
    const bool is_time = latency != evaluation.values.end() && !latency->second.is_estimate;
    if (is_time) ++times[evaluation.key.machine];
    return true;
  }));
  std::int64_t most = 0;
  for (const auto& [machine, count] : times) {
    if (count > most) census.machine = machine;
    most = std::max(most, count);
  }
  return census;
}

// Of every metric the value that is known best: measured rather than estimated, then of the highest
// fidelity, then of the question that most candidates have answered; over all seeds of that.
class BestKnown {
 public:
  void add(const store::Evaluation& evaluation, const Census& census) {
    for (const auto& [name, value] : evaluation.values) {
      const auto metric = search::metric_named(name);
      if (!metric) continue;
      const bool is_elsewhere =
          evaluation.key.machine != Fingerprint{} && evaluation.key.machine != census.machine;
      if (is_elsewhere && !value.is_estimate) continue;
      const Question question = question_of(evaluation.key);
      // Whoever searches now may have added it since they were counted.
      const auto counted = census.count.find(question);
      const std::int64_t count = counted == census.count.end() ? 1 : counted->second;
      Rank rank(!value.is_estimate, evaluation.key.fidelity, count, question);
      Values& known = known_[static_cast<std::size_t>(*metric)];
      if (rank < known.rank) continue;
      if (known.rank < rank) known = {std::move(rank), {}};
      known.by_seed.emplace_back(evaluation.key.seed, value);
    }
  }

  search::Scores scores() const {
    search::Scores scores;
    for (std::size_t i = 0; i < search::kMetrics; ++i) {
      if (known_[i].by_seed.empty()) continue;
      const store::StudyValue value = search::joined(known_[i].by_seed);
      scores.set(static_cast<search::Metric>(i), {value.value, value.spread, value.is_estimate});
    }
    return scores;
  }

 private:
  using Rank = std::tuple<bool, double, std::int64_t, Question>;
  struct Values {
    Rank rank;
    std::vector<std::pair<std::uint64_t, store::StudyValue>> by_seed;
  };
  std::array<Values, search::kMetrics> known_;
};

Status each_row(StudyStore& store,
                const std::function<void(StudyRow row, bool is_original)>& take) {
  CAMBIUM_TRY(const Census census, census_of(store));
  CAMBIUM_TRY(const auto head, store.head());
  // Whoever gave a candidate is no strategy either: the original is the one without edits.
  const Fingerprint original =
      spaces::identity_of({head ? head->base : Fingerprint{}, {}, std::nullopt});
  std::map<Fingerprint, BestKnown> known;
  CAMBIUM_REQUIRE(store.each_evaluation([&](const store::Evaluation& evaluation) {
    known[evaluation.key.candidate].add(evaluation, census);
    return true;
  }));
  return store.each_candidate([&](const store::StudyCandidate& candidate) {
    take({candidate.identity.text(), candidate.title, known[candidate.identity].scores()},
         candidate.identity == original);
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
  CAMBIUM_TRY(StudyStore store, StudyStore::open(into, store::Mode::Open));
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
    const int rank = !latency ? 2 : latency->is_estimate ? 1 : 0;
    return std::pair(rank, latency ? latency->value : macs ? macs->value : 0);
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

// Commands on whole studies: report, merge, pack, list, and the best candidate. Refuses NotFound,
// StudyDiffers, NoSuchCandidate, and what store and report refuse. Called by `cambium report`,
// `cambium study` and exports.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "engine/search/kept.h"
#include "store/study_store.h"
#include "study/record.h"

namespace cambium::engine {

Status report_study(const std::string& study, const std::string& folder);

// Adds everything from `other` that is missing in `into`.
Result<store::StudyStore::Merged> merge_studies(const std::string& into, const std::string& other);

// Calls `write` with one line of JSON after the other, until it returns false.
Status pack_study(const std::string& study, const std::function<bool(const std::string&)>& write);

struct StudyRow {
  Fingerprint identity;
  std::string title;
  study::Scores scores;
  // Whether the candidate was trained for fewer epochs than another candidate of the study. Such
  // accuracies cannot be compared.
  bool is_brief = false;
};
struct StudyList {
  std::string model, data;
  std::int64_t candidates = 0;
  std::vector<study::Metric> objectives;  // of the front
  std::vector<StudyRow> rows;             // the original, then the rest of the Pareto front
};
// The front by the best known values of each candidate (study/record.h): the same front as in the
// report of the study.
Result<StudyList> list_study(const std::string& study);

// The goals of the study's search. Needed by everything that shows the Pareto front.
study::Goals goals_of(const KeptSearch& search);

// The identity of the best candidate: the cheapest (study/scores.h) that the rule of study/best.h
// allows and whose trained model is there. Refuses NoSuchCandidate.
Result<std::string> best_of_study(const std::string& study);
nlohmann::json to_json(const StudyList& list);

}  // namespace cambium::engine

// Studies as wholes: reported, merged, packed, listed. Refuses NotFound, StudyDiffers and what
// store and report refuse. Called by `cambium report` and `cambium study`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "search/metric.h"
#include "store/study_store.h"

namespace cambium::engine {

Status report_study(const std::string& study, const std::string& folder);

// Everything of the other that is not there.
Result<store::StudyStore::Merged> merge_studies(const std::string& into, const std::string& other);

// Calls with one line of JSON after the other, until it says false.
Status pack_study(const std::string& study, const std::function<bool(const std::string&)>& write);

struct StudyRow {
  std::string candidate, title;
  search::Scores scores;
};
struct StudyList {
  std::string model, data;
  std::int64_t candidates = 0;
  // The original, then the front by what is known best: measured rather than estimated, then of the
  // highest fidelity, the mean over seeds. Times are those of one machine, the one that has most.
  std::vector<StudyRow> rows;
};
Result<StudyList> list_study(const std::string& study);

// The identity of the best: of those that were trained fully and hold all limits, the one of the
// least latency: measured before estimated, and by MACs where neither is known. Refuses
// NoSuchCandidate.
Result<std::string> best_of_study(const std::string& study);
nlohmann::json to_json(const StudyList& list);

}  // namespace cambium::engine

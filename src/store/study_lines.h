// A study as JSON lines (docs/schema/study_record.json), for a repository or for `jq`. A line is
// the head, one candidate, one evaluation with its curve, or the state of one search. Artifacts are
// not included. Refuses a bad line (BadRecord) with its number. Used by the store.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "store/study.h"

namespace cambium::store {

struct NamedSearch {
  std::string name;
  SearchState state;         // empty: the search has just begun
  std::string options = {};  // JSON; empty: unknown

  friend bool operator==(const NamedSearch&, const NamedSearch&) = default;
};

using StudyRecord = std::variant<StudyHead, StudyCandidate, Evaluation, NamedSearch>;

std::string study_line(const StudyRecord& record);
Result<StudyRecord> parse_study_line(std::string_view line, std::int64_t number);

}  // namespace cambium::store

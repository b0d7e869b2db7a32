// A study as JSON lines (docs/schema/study_record.json): how it travels as text, into a repository
// or through `jq`. A line is what the study is of, one candidate, one evaluation with its curve, or
// how far one search is. Artifacts stay in the file. Refuses, of a line that is none: BadRecord,
// with its number.
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
  SearchState state;         // empty: it has only begun
  std::string options = {};  // JSON; empty: not known

  friend bool operator==(const NamedSearch&, const NamedSearch&) = default;
};

using StudyRecord = std::variant<StudyHead, StudyCandidate, Evaluation, NamedSearch>;

std::string study_line(const StudyRecord& record);
Result<StudyRecord> parse_study_line(std::string_view line, std::int64_t number);

}  // namespace cambium::store

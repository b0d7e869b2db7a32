// The candidates of a study, as rows. The caller begins and commits the transaction of each
// function. Refuses what SQLite refuses. Called by the store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/sqlite.h"
#include "store/study.h"

namespace cambium::store {

inline constexpr std::int64_t kPage = 256;  // rows in memory at a time

Result<std::int64_t> candidate_id(Connection& db, Fingerprint identity);      // 0: unknown
Result<bool> add_candidate(Connection& db, const StudyCandidate& candidate);  // whether it was new
Status set_candidate_title(Connection& db, Fingerprint identity, const std::string& title);
Result<std::optional<StudyCandidate>> find_candidate(Connection& db, Fingerprint identity);
// At most two of the candidates whose identity begins with these digits.
Result<std::vector<StudyCandidate>> candidates_beginning(Connection& db, const std::string& digits);
Result<std::int64_t> count_candidates(Connection& db);

struct CandidateRow {
  std::int64_t id = 0;
  StudyCandidate candidate;
};

// Readers continue after the last id of a page. In a damaged file ids may not rise, which would
// never end.
template <class Row>
Status check_rising(const Connection& db, std::int64_t after, const std::vector<Row>& page) {
  for (const Row& row : page) {
    if (row.id <= std::exchange(after, row.id)) return db.damaged("rows are not in order");
  }
  return Ok{};
}

// The page after `id`; empty: there are no more.
Result<std::vector<CandidateRow>> candidates_after(Connection& db, std::int64_t id);

}  // namespace cambium::store

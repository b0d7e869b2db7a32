#include "store/study_candidates.h"

#include <bit>

namespace cambium::store {
namespace {

// clang-format off
constexpr const char* kCandidateId = "SELECT id FROM candidates WHERE identity = ?";
constexpr const char* kAddCandidate =
    "INSERT INTO candidates(identity, parent, search, ticket, seed, strategy, space, title, document)"
    " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)";
constexpr const char* kSetTitle = "UPDATE candidates SET title = ? WHERE identity = ?";
constexpr const char* kCountCandidates = "SELECT count(*) FROM candidates";
#define CAMBIUM_CANDIDATE \
    "SELECT id, identity, parent, search, ticket, seed, strategy, space, title, document" \
    " FROM candidates"
constexpr const char* kCandidate = CAMBIUM_CANDIDATE " WHERE identity = ?";
constexpr const char* kCandidatesAfter = CAMBIUM_CANDIDATE " WHERE id > ? ORDER BY id LIMIT ?";
// Hexadecimal digits all come before 'g'.
constexpr const char* kCandidatesBeginning =
    CAMBIUM_CANDIDATE " WHERE identity >= ? AND identity < ? LIMIT 2";
#undef CAMBIUM_CANDIDATE
// clang-format on

StudyCandidate candidate_in(const Query& query) {
  StudyCandidate candidate;
  candidate.identity = query.fingerprint(1);
  if (const std::string parent = query.text(2); !parent.empty()) {
    candidate.parent = query.fingerprint(2);
  }
  candidate.search = query.text(3);
  candidate.ticket = query.integer(4);
  candidate.seed = std::bit_cast<std::uint64_t>(query.integer(5));
  candidate.strategy = query.text(6);
  candidate.space = query.text(7);
  candidate.title = query.text(8);
  candidate.document = query.text(9);
  return candidate;
}

}  // namespace

Result<std::int64_t> candidate_id(Connection& db, Fingerprint identity) {
  Query query(db, kCandidateId, identity);
  CAMBIUM_TRY(const bool row, query.step());
  return row ? query.integer(0) : 0;
}

Result<bool> add_candidate(Connection& db, const StudyCandidate& candidate) {
  CAMBIUM_TRY(const std::int64_t there, candidate_id(db, candidate.identity));
  if (there != 0) return false;
  CAMBIUM_REQUIRE(Query(db, kAddCandidate, candidate.identity, candidate.parent, candidate.search,
                        candidate.ticket, std::bit_cast<std::int64_t>(candidate.seed),
                        candidate.strategy, candidate.space, candidate.title, candidate.document)
                      .run());
  return true;
}

Status set_candidate_title(Connection& db, Fingerprint identity, const std::string& title) {
  return Query(db, kSetTitle, title, identity).run();
}

Result<std::optional<StudyCandidate>> find_candidate(Connection& db, Fingerprint identity) {
  Query query(db, kCandidate, identity);
  CAMBIUM_TRY(const bool row, query.step());
  if (!row) return std::optional<StudyCandidate>();
  return std::optional(candidate_in(query));
}

Result<std::vector<StudyCandidate>> candidates_beginning(Connection& db,
                                                         const std::string& digits) {
  std::vector<StudyCandidate> found;
  Query query(db, kCandidatesBeginning, digits, digits + "g");
  for (;;) {
    CAMBIUM_TRY(const bool row, query.step());
    if (!row) return found;
    found.push_back(candidate_in(query));
  }
}

Result<std::int64_t> count_candidates(Connection& db) {
  Query query(db, kCountCandidates);
  CAMBIUM_TRY(const bool row, query.step());
  return row ? query.integer(0) : 0;
}

Result<std::vector<CandidateRow>> candidates_after(Connection& db, std::int64_t id) {
  std::vector<CandidateRow> page;
  Query query(db, kCandidatesAfter, id, kPage);
  for (;;) {
    CAMBIUM_TRY(const bool row, query.step());
    if (!row) break;
    page.push_back({query.integer(0), candidate_in(query)});
  }
  CAMBIUM_REQUIRE(check_rising(db, id, page));
  return page;
}

}  // namespace cambium::store

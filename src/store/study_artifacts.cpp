#include "store/study_artifacts.h"

#include <utility>

#include "store/study_candidates.h"

namespace cambium::store {
namespace {

// clang-format off
constexpr const char* kAddArtifact = "INSERT INTO artifacts(evaluation, name, bytes) VALUES(?, ?, ?)";
constexpr const char* kDropArtifacts = "DELETE FROM artifacts WHERE evaluation = ?";
constexpr const char* kArtifacts = "SELECT name, bytes FROM artifacts WHERE evaluation = ? ORDER BY id";
// Sorts by number first, so that no bytes are sorted. Negative seeds are the largest.
constexpr const char* kArtifact =
    "SELECT bytes FROM artifacts WHERE id = ("
    " SELECT a.id FROM evaluations AS e CROSS JOIN artifacts AS a ON a.evaluation = e.id"
    " WHERE e.candidate = ? AND a.name = ? ORDER BY e.fidelity DESC, e.seed < 0, e.seed, e.id"
    " LIMIT 1)";
// clang-format on

std::vector<std::byte> bytes_in(const Query& query, int column) {
  const std::span<const std::byte> bytes = query.blob(column);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

Status add_artifacts(Connection& db, std::int64_t evaluation,
                     const std::vector<Artifact>& artifacts) {
  for (const Artifact& artifact : artifacts) {
    const std::span<const std::byte> bytes = artifact.bytes;
    CAMBIUM_REQUIRE(Query(db, kAddArtifact, evaluation, artifact.name, bytes).run());
  }
  return Ok{};
}

Status drop_artifacts(Connection& db, std::int64_t evaluation) {
  return Query(db, kDropArtifacts, evaluation).run();
}

Result<std::vector<Artifact>> artifacts_of(Connection& db, std::int64_t evaluation) {
  std::vector<Artifact> all;
  Query query(db, kArtifacts, evaluation);
  for (;;) {
    CAMBIUM_TRY(const bool row, query.step());
    if (!row) return all;
    all.push_back({query.text(0), bytes_in(query, 1)});
  }
}

Result<std::optional<Artifact>> find_artifact(Connection& db, Fingerprint candidate,
                                              const std::string& name) {
  CAMBIUM_TRY(const std::int64_t id, candidate_id(db, candidate));
  Query query(db, kArtifact, id, name);
  CAMBIUM_TRY(const bool row, query.step());
  if (!row) return std::optional<Artifact>();
  return std::optional(Artifact{name, bytes_in(query, 0)});
}

}  // namespace cambium::store

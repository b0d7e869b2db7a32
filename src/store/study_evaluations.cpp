#include "store/study_evaluations.h"

#include <bit>

#include "store/study_artifacts.h"
#include "store/study_candidates.h"

namespace cambium::store {
namespace {

// clang-format off
constexpr const char* kAddEvaluator =
    "INSERT INTO evaluators(name, version, options, machine) VALUES(?, ?, ?, ?)"
    " ON CONFLICT DO NOTHING";
constexpr const char* kEvaluatorId =
    "SELECT id FROM evaluators WHERE name = ? AND version = ? AND options = ? AND machine = ?";
constexpr const char* kAddOrigin =
    "INSERT INTO origins(host, revision) VALUES(?, ?) ON CONFLICT DO NOTHING";
constexpr const char* kOriginId = "SELECT id FROM origins WHERE host = ? AND revision = ?";
constexpr const char* kStanding =
    "SELECT id, state, reason, EXISTS(SELECT * FROM metrics WHERE evaluation = evaluations.id),"
    " (SELECT count(*) FROM curves WHERE evaluation = evaluations.id),"
    " (SELECT count(*) FROM artifacts WHERE evaluation = evaluations.id)"
    " FROM evaluations WHERE candidate = ? AND evaluator = ? AND fidelity = ? AND seed = ?";
constexpr const char* kAddEvaluation =
    "INSERT INTO evaluations(candidate, evaluator, fidelity, seed, state, reason, detail, seconds,"
    " ended, origin) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
constexpr const char* kSetEvaluation =
    "UPDATE evaluations SET state = ?, reason = ?, detail = ?, seconds = ?, ended = ?, origin = ?"
    " WHERE id = ?";
constexpr const char* kDropMetrics = "DELETE FROM metrics WHERE evaluation = ?";
constexpr const char* kDropCurve = "DELETE FROM curves WHERE evaluation = ?";
constexpr const char* kAddMetric =
    "INSERT INTO metrics(evaluation, name, value, spread, samples, is_estimate)"
    " VALUES(?, ?, ?, ?, ?, ?)";
constexpr const char* kAddPoint =
    "INSERT INTO curves(evaluation, number, x, value, loss, seconds) VALUES(?, ?, ?, ?, ?, ?)";
constexpr const char* kEndClaim =
    "DELETE FROM claims WHERE candidate = ? AND evaluator = ? AND fidelity = ? AND seed = ?";
constexpr const char* kClaim =
    "SELECT owner, until FROM claims"
    " WHERE candidate = ? AND evaluator = ? AND fidelity = ? AND seed = ?";
constexpr const char* kSetClaim =
    "INSERT OR REPLACE INTO claims(candidate, evaluator, fidelity, seed, owner, until)"
    " VALUES(?, ?, ?, ?, ?, ?)";
constexpr const char* kRenewClaims = "UPDATE claims SET until = ? WHERE owner = ?";
constexpr const char* kDropClaims = "DELETE FROM claims WHERE owner = ?";
// CROSS keeps SQLite from beginning with another table.
#define CAMBIUM_KEY \
    "SELECT e.id, c.identity, v.name, v.version, v.options, e.fidelity, e.seed, v.machine"
#define CAMBIUM_FROM \
    " FROM evaluations AS e CROSS JOIN candidates AS c ON c.id = e.candidate" \
    " CROSS JOIN evaluators AS v ON v.id = e.evaluator CROSS JOIN origins AS o ON o.id = e.origin"
#define CAMBIUM_EVALUATION \
    CAMBIUM_KEY ", e.state, e.reason, e.detail, e.seconds, e.ended, o.host, o.revision" CAMBIUM_FROM
constexpr const char* kEvaluation =
    CAMBIUM_EVALUATION " WHERE e.candidate = ? AND e.evaluator = ? AND e.fidelity = ? AND e.seed = ?";
constexpr const char* kEvaluationsOf = CAMBIUM_EVALUATION " WHERE e.candidate = ? ORDER BY e.id";
constexpr const char* kEvaluationsAfter = CAMBIUM_EVALUATION " WHERE e.id > ? ORDER BY e.id LIMIT ?";
constexpr const char* kPending =
    CAMBIUM_KEY CAMBIUM_FROM
    " WHERE e.state = 'pending' AND (?1 = '' OR v.name = ?1) AND NOT EXISTS("
    "SELECT * FROM evaluations AS d JOIN evaluators AS w ON w.id = d.evaluator"
    " WHERE d.candidate = e.candidate AND d.fidelity = e.fidelity AND d.seed = e.seed"
    " AND d.state <> 'pending' AND w.name = v.name AND w.options = v.options) ORDER BY e.id";
#undef CAMBIUM_EVALUATION
#undef CAMBIUM_FROM
#undef CAMBIUM_KEY
constexpr const char* kMetrics =
    "SELECT evaluation, name, value, spread, samples, is_estimate FROM metrics"
    " WHERE evaluation BETWEEN ? AND ? ORDER BY evaluation";
constexpr const char* kCurve =
    "SELECT x, value, loss, seconds FROM curves WHERE evaluation = ? ORDER BY number";
// clang-format on

std::int64_t seed_number(std::uint64_t seed) {
  return std::bit_cast<std::int64_t>(seed);
}

EvaluationKey key_in_row(const Query& query) {
  EvaluationKey key;
  key.candidate = query.fingerprint(1);
  key.evaluator = query.text(2);
  key.version = query.text(3);
  key.options = query.text(4);
  key.fidelity = query.real(5);
  key.seed = std::bit_cast<std::uint64_t>(query.integer(6));
  key.machine = query.fingerprint(7);
  return key;
}

Evaluation evaluation_in(const Query& query) {
  Evaluation evaluation;
  evaluation.key = key_in_row(query);
  evaluation.state = state_named(query.text(8)).value_or(EvaluationState::Pending);
  evaluation.reason = query.text(9);
  evaluation.detail = query.text(10);
  evaluation.seconds = query.real(11);
  evaluation.ended = query.real(12);
  evaluation.host = query.text(13);
  evaluation.commit = query.text(14);
  return evaluation;
}

// Without values and curves.
Result<std::vector<EvaluationRow>> rows_of(Query& query) {
  std::vector<EvaluationRow> rows;
  for (;;) {
    CAMBIUM_TRY(const bool row, query.step());
    if (!row) return rows;
    rows.push_back({query.integer(0), evaluation_in(query)});
  }
}

// One scan: rows are in the order of their ids.
Status read_metrics(Connection& db, std::vector<EvaluationRow>& rows) {
  if (rows.empty()) return Ok{};
  Query query(db, kMetrics, rows.front().id, rows.back().id);
  auto at = rows.begin();
  for (;;) {
    CAMBIUM_TRY(const bool row, query.step());
    if (!row) return Ok{};
    const std::int64_t id = query.integer(0);
    while (at != rows.end() && at->id < id) ++at;
    if (at == rows.end() || at->id != id) continue;
    at->evaluation.values.emplace(
        query.text(1),
        StudyValue{query.real(2), query.real(3), query.integer(4), query.integer(5) != 0});
  }
}

Result<std::int64_t> evaluator_id(Connection& db, const EvaluationKey& key) {
  Query query(db, kEvaluatorId, key.evaluator, key.version, key.options, key.machine);
  CAMBIUM_TRY(const bool row, query.step());
  return row ? query.integer(0) : 0;
}

Result<std::int64_t> find_or_add_evaluator(Connection& db, const EvaluationKey& key) {
  CAMBIUM_REQUIRE(
      Query(db, kAddEvaluator, key.evaluator, key.version, key.options, key.machine).run());
  return evaluator_id(db, key);
}

Result<std::int64_t> find_or_add_origin(Connection& db, const Evaluation& evaluation) {
  CAMBIUM_REQUIRE(Query(db, kAddOrigin, evaluation.host, evaluation.commit).run());
  Query query(db, kOriginId, evaluation.host, evaluation.commit);
  CAMBIUM_TRY(const bool row, query.step());
  return row ? query.integer(0) : 0;
}

constexpr int kAnswered = 3;  // for good

// How much an evaluation knows: more replaces less. A worker may have died through a fault of its
// machine.
int weight_of(EvaluationState state, const std::string& reason, bool has_values) {
  if (state == EvaluationState::Pending) return has_values ? 1 : 0;
  const bool died = state == EvaluationState::Refused && reason == name_of(Reason::WorkerDied);
  return died ? kAnswered - 1 : kAnswered;
}

struct Standing {
  std::int64_t id = 0;  // 0: there is none
  EvaluationState state = EvaluationState::Pending;
  int weight = -1;
  std::size_t points = 0, artifacts = 0;
};

Result<Standing> standing_of(Connection& db, std::int64_t candidate, std::int64_t evaluator,
                             const EvaluationKey& key) {
  Query query(db, kStanding, candidate, evaluator, key.fidelity, seed_number(key.seed));
  CAMBIUM_TRY(const bool row, query.step());
  if (!row) return Standing();
  const auto state = state_named(query.text(1)).value_or(EvaluationState::Pending);
  return Standing{query.integer(0), state, weight_of(state, query.text(2), query.integer(3) != 0),
                  static_cast<std::size_t>(query.integer(4)),
                  static_cast<std::size_t>(query.integer(5))};
}

// Of equals the first stays, unless it lacks a curve or files that the other has.
bool knows_more(const Evaluation& evaluation, const std::vector<Artifact>& artifacts,
                const Standing& there) {
  const int weight = weight_of(evaluation.state, evaluation.reason, !evaluation.values.empty());
  if (weight != there.weight || evaluation.state != there.state) return weight > there.weight;
  const std::size_t points = evaluation.curve.size();
  return points >= there.points && artifacts.size() >= there.artifacts &&
         points + artifacts.size() > there.points + there.artifacts;
}

// Replaces the stored evaluation.
Status replace(Connection& db, std::int64_t id, const Evaluation& e, std::int64_t origin) {
  CAMBIUM_REQUIRE(drop_artifacts(db, id));
  for (const char* drop : {kDropMetrics, kDropCurve}) CAMBIUM_REQUIRE(Query(db, drop, id).run());
  return Query(db, kSetEvaluation, std::string(name_of(e.state)), e.reason, e.detail, e.seconds,
               e.ended, origin, id)
      .run();
}

Status add_parts(Connection& db, std::int64_t id, const Evaluation& evaluation,
                 const std::vector<Artifact>& artifacts) {
  for (const auto& [name, value] : evaluation.values) {
    CAMBIUM_REQUIRE(Query(db, kAddMetric, id, name, value.value, value.spread, value.samples,
                          value.is_estimate ? 1 : 0)
                        .run());
  }
  std::int64_t number = 0;
  for (const CurvePoint& point : evaluation.curve) {
    CAMBIUM_REQUIRE(
        Query(db, kAddPoint, id, number++, point.x, point.value, point.loss, point.seconds).run());
  }
  return add_artifacts(db, id, artifacts);
}

}  // namespace

Result<bool> add_evaluation(Connection& db, const Evaluation& evaluation,
                            const std::vector<Artifact>& artifacts) {
  const EvaluationKey& key = evaluation.key;
  CAMBIUM_TRY(const std::int64_t candidate, candidate_id(db, key.candidate));
  if (candidate == 0) return Rejection(Reason::NoSuchCandidate, key.candidate.text(), db.path());
  CAMBIUM_TRY(const std::int64_t evaluator, find_or_add_evaluator(db, key));
  CAMBIUM_TRY(Standing there, standing_of(db, candidate, evaluator, key));
  // No search needs to make it any more.
  if (evaluation.state != EvaluationState::Pending) {
    CAMBIUM_REQUIRE(
        Query(db, kEndClaim, candidate, evaluator, key.fidelity, seed_number(key.seed)).run());
  }
  if (!knows_more(evaluation, artifacts, there)) return false;
  CAMBIUM_TRY(const std::int64_t origin, find_or_add_origin(db, evaluation));
  if (there.id != 0) {
    CAMBIUM_REQUIRE(replace(db, there.id, evaluation, origin));
  } else {
    CAMBIUM_REQUIRE(Query(db, kAddEvaluation, candidate, evaluator, key.fidelity,
                          seed_number(key.seed), std::string(name_of(evaluation.state)),
                          evaluation.reason, evaluation.detail, evaluation.seconds,
                          evaluation.ended, origin)
                        .run());
    there.id = db.last_row();
  }
  CAMBIUM_REQUIRE(add_parts(db, there.id, evaluation, artifacts));
  return true;
}

Result<Claim> claim_evaluation(Connection& db, const EvaluationKey& key, const std::string& owner,
                               double now, double until) {
  CAMBIUM_TRY(const std::int64_t candidate, candidate_id(db, key.candidate));
  if (candidate == 0) return Rejection(Reason::NoSuchCandidate, key.candidate.text(), db.path());
  CAMBIUM_TRY(const std::int64_t evaluator, find_or_add_evaluator(db, key));
  CAMBIUM_TRY(const Standing there, standing_of(db, candidate, evaluator, key));
  if (there.weight >= kAnswered) return Claim{true, {}};
  {
    Query query(db, kClaim, candidate, evaluator, key.fidelity, seed_number(key.seed));
    CAMBIUM_TRY(const bool row, query.step());
    if (row && query.text(0) != owner && query.real(1) > now) return Claim{false, query.text(0)};
  }
  CAMBIUM_REQUIRE(
      Query(db, kSetClaim, candidate, evaluator, key.fidelity, seed_number(key.seed), owner, until)
          .run());
  return Claim{false, owner};
}

Status renew_claims(Connection& db, const std::string& owner, double until) {
  return Query(db, kRenewClaims, until, owner).run();
}

Status drop_claims(Connection& db, const std::string& owner) {
  return Query(db, kDropClaims, owner).run();
}

Result<std::optional<Evaluation>> find_evaluation(Connection& db, const EvaluationKey& key) {
  CAMBIUM_TRY(const std::int64_t candidate, candidate_id(db, key.candidate));
  CAMBIUM_TRY(const std::int64_t evaluator, evaluator_id(db, key));
  Query query(db, kEvaluation, candidate, evaluator, key.fidelity, seed_number(key.seed));
  CAMBIUM_TRY(std::vector<EvaluationRow> rows, rows_of(query));
  if (rows.empty()) return std::optional<Evaluation>();
  CAMBIUM_REQUIRE(read_metrics(db, rows));
  CAMBIUM_TRY(rows.front().evaluation.curve, curve_of(db, rows.front().id));
  return std::optional(std::move(rows.front().evaluation));
}

Result<std::vector<Evaluation>> evaluations_of(Connection& db, Fingerprint candidate) {
  CAMBIUM_TRY(const std::int64_t id, candidate_id(db, candidate));
  Query query(db, kEvaluationsOf, id);
  CAMBIUM_TRY(std::vector<EvaluationRow> rows, rows_of(query));
  std::vector<Evaluation> all;
  for (EvaluationRow& row : rows) {
    std::vector<EvaluationRow> alone = {std::move(row)};  // the next row may be far away
    CAMBIUM_REQUIRE(read_metrics(db, alone));
    CAMBIUM_TRY(alone.front().evaluation.curve, curve_of(db, alone.front().id));
    all.push_back(std::move(alone.front().evaluation));
  }
  return all;
}

Result<std::vector<EvaluationKey>> pending_keys(Connection& db, const std::string& evaluator) {
  std::vector<EvaluationKey> keys;
  Query query(db, kPending, evaluator);
  for (;;) {
    CAMBIUM_TRY(const bool row, query.step());
    if (!row) return keys;
    keys.push_back(key_in_row(query));
  }
}

Result<std::vector<EvaluationRow>> evaluations_after(Connection& db, std::int64_t id) {
  Query query(db, kEvaluationsAfter, id, kPage);
  CAMBIUM_TRY(std::vector<EvaluationRow> rows, rows_of(query));
  CAMBIUM_REQUIRE(check_rising(db, id, rows));
  CAMBIUM_REQUIRE(read_metrics(db, rows));
  return rows;
}

Result<std::vector<CurvePoint>> curve_of(Connection& db, std::int64_t evaluation) {
  std::vector<CurvePoint> curve;
  Query query(db, kCurve, evaluation);
  for (;;) {
    CAMBIUM_TRY(const bool row, query.step());
    if (!row) return curve;
    curve.push_back({query.real(0), query.real(1), query.real(2), query.real(3)});
  }
}

}  // namespace cambium::store

// Rows of a study's evaluations, with their values and curves. Each function is a part
// of a transaction that the caller begins and commits. Refuses what SQLite refuses, and
// NoSuchCandidate. Called by the store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/sqlite.h"
#include "store/study.h"

namespace cambium::store {

// Whether it was taken: it was new, or knows more than what was there under its key.
Result<bool> add_evaluation(Connection& db, const Evaluation& evaluation,
                            const std::vector<Artifact>& artifacts);

Result<Claim> claim_evaluation(Connection& db, const EvaluationKey& key, const std::string& owner,
                               double now, double until);
Status renew_claims(Connection& db, const std::string& owner, double until);
Status drop_claims(Connection& db, const std::string& owner);

Result<std::optional<Evaluation>> find_evaluation(Connection& db, const EvaluationKey& key);
Result<std::vector<Evaluation>> evaluations_of(Connection& db, Fingerprint candidate);
Result<std::vector<EvaluationKey>> pending_keys(Connection& db, const std::string& evaluator);

struct EvaluationRow {
  std::int64_t id = 0;
  Evaluation evaluation;
};
// A page of those behind `id`, without curves. None: that was the last.
Result<std::vector<EvaluationRow>> evaluations_after(Connection& db, std::int64_t id);
Result<std::vector<CurvePoint>> curve_of(Connection& db, std::int64_t evaluation);

}  // namespace cambium::store

// The evaluations of a study, with values and curves, as rows. The caller begins and commits the
// transaction of each function. Refuses what SQLite refuses, and NoSuchCandidate. Called by the
// store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/sqlite.h"
#include "store/study.h"

namespace cambium::store {

// Whether it was stored: it is new, or knows more than the stored evaluation of its key.
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
// The page after `id`, without curves; empty: there are no more.
Result<std::vector<EvaluationRow>> evaluations_after(Connection& db, std::int64_t id);
Result<std::vector<CurvePoint>> curve_of(Connection& db, std::int64_t evaluation);

}  // namespace cambium::store

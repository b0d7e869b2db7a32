// The files of evaluations, as rows. The caller begins and commits the transaction of each
// function. Refuses what SQLite refuses: two files of one name, more than a billion bytes. Called
// by the store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/sqlite.h"
#include "store/study.h"

namespace cambium::store {

Status add_artifacts(Connection& db, std::int64_t evaluation,
                     const std::vector<Artifact>& artifacts);
Status drop_artifacts(Connection& db, std::int64_t evaluation);
Result<std::vector<Artifact>> artifacts_of(Connection& db, std::int64_t evaluation);

// See StudyStore::artifact.
Result<std::optional<Artifact>> find_artifact(Connection& db, Fingerprint candidate,
                                              const std::string& name);

}  // namespace cambium::store

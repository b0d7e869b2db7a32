// The head of a study and the states of its searches, as rows. The caller begins and commits the
// transaction of each function. Refuses what SQLite refuses, and StudyDiffers. Called by the store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/sqlite.h"
#include "store/study.h"

namespace cambium::store {

Result<std::optional<StudyHead>> find_head(Connection& db);
// The first head stays. Refuses another model or other data.
Status agree_on_head(Connection& db, const StudyHead& head);

// A state that has folded less than the stored one changes nothing.
Status set_search(Connection& db, const std::string& name, const SearchState& state);
Result<std::optional<SearchState>> find_search(Connection& db, const std::string& name);
Status set_search_options(Connection& db, const std::string& name, const std::string& options);
Result<std::optional<std::string>> find_search_options(Connection& db, const std::string& name);
Result<std::vector<std::string>> search_names(Connection& db);  // in the order of their beginning

}  // namespace cambium::store

// What a study is of, and how far its searches are, as rows. Each function is a part of a
// transaction that the caller begins and commits. Refuses what SQLite refuses, and StudyDiffers.
// Called by the store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/sqlite.h"
#include "store/study.h"

namespace cambium::store {

Result<std::optional<StudyHead>> find_head(Connection& db);
// The first stays; refuses one of another model or other data.
Status agree_on_head(Connection& db, const StudyHead& head);

// One that has folded less than what is there changes nothing.
Status set_search(Connection& db, const std::string& name, const SearchState& state);
Result<std::optional<SearchState>> find_search(Connection& db, const std::string& name);
Status set_search_options(Connection& db, const std::string& name, const std::string& options);
Result<std::optional<std::string>> find_search_options(Connection& db, const std::string& name);
Result<std::vector<std::string>> search_names(Connection& db);  // in the order in which they began

}  // namespace cambium::store

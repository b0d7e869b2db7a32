// Writes a study as lines, and reads lines into a file. Refuses BadRecord, StudyDiffers, and what
// SQLite and `write` refuse. Called by the store.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "store/sqlite.h"
#include "store/study_lines.h"
#include "store/study_store.h"

namespace cambium::store {

// If the search is there: keeps the state that is further ahead and the options of the file.
Status join_search(Connection& db, const NamedSearch& search);

// The study at one moment. Each line comes after the lines that it refers to.
Status export_study(Connection& db, const std::function<Status(const std::string& line)>& write);
// All or nothing, by the rules of merging.
Result<StudyStore::Merged> import_study(Connection& db,
                                        const std::function<std::optional<std::string>()>& next);

}  // namespace cambium::store

// A study out of its file as lines, and lines into a file. Refuses BadRecord, StudyDiffers, what
// SQLite refuses and what `write` does. Called by the store.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "store/sqlite.h"
#include "store/study_lines.h"
#include "store/study_store.h"

namespace cambium::store {

// Of a search that is there, the state that is farther and the options that were there first.
Status join_search(Connection& db, const NamedSearch& search);

// As it is at one moment, each line after those that it speaks of.
Status export_study(Connection& db, const std::function<Status(const std::string& line)>& write);
// All or nothing. What is there stays as it does when studies are merged.
Result<StudyStore::Merged> import_study(Connection& db,
                                        const std::function<std::optional<std::string>()>& next);

}  // namespace cambium::store

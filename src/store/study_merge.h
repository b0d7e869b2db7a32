// Merges one study into another: adds everything that is missing, completely or not at all. Refuses
// StudyDiffers and what SQLite refuses. Called by the store.
#pragma once

#include "store/sqlite.h"
#include "store/study_store.h"

namespace cambium::store {

// Reads `from` as it is at one moment. Both files must be up to date.
Result<StudyStore::Merged> merge_study(Connection& into, Connection& from);

}  // namespace cambium::store

// Joins one study to another: everything of it that is not there, all or nothing. Refuses
// StudyDiffers and what SQLite refuses. Called by the store.
#pragma once

#include "store/sqlite.h"
#include "store/study_store.h"

namespace cambium::store {

// `from` is read as it is at one moment. Both were prepared.
Result<StudyStore::Merged> merge_study(Connection& into, Connection& from);

}  // namespace cambium::store

// The tables of a database, one version after the other, and what brings a file up to date. Refuses
// NotADatabase and NewerDatabase. Called when a store is opened.
#pragma once

#include <span>

#include "store/sqlite.h"

namespace cambium::store {

// What each version adds to the one before, from version 1 on. A row that was released never
// changes: a new version is a new row.
std::span<const char* const> tuning_schema();

// Asks whether the file is ours (or empty) and not newer than the last of `versions`, sets it up to
// be shared and to survive a kill, and runs what is missing, all of it or nothing.
Status prepare(Connection& db, std::span<const char* const> versions);

}  // namespace cambium::store

// The tables of a database, one version after the other, and what brings a file up to date. Refuses
// NotADatabase and NewerDatabase. Called when a store is opened.
#pragma once

#include <span>

#include "store/sqlite.h"

namespace cambium::store {

// A kind of file. One kind is never taken for another: the number is in the file.
struct Schema {
  std::int64_t application;
  const char* holds;  // for people: "tuning records"
  // What each version adds to the one before, from version 1 on. A row that was released never
  // changes: a new version is a new row.
  std::span<const char* const> versions;
};

const Schema& tuning_schema();
const Schema& study_schema();

// Asks whether the file is of this kind (or empty) and not newer than the last version, sets it up
// to be shared and to survive a kill, and runs what is missing, all of it or nothing.
Status prepare(Connection& db, const Schema& schema);

}  // namespace cambium::store

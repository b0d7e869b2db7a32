// Schema: the tables of a database, version by version, and the upgrade of a file. Refuses
// NotADatabase and NewerDatabase. Called when a store is opened.
#pragma once

#include <span>

#include "store/sqlite.h"

namespace cambium::store {

// A kind of file. The number is in the file, so that no kind is mistaken for another.
struct Schema {
  std::int64_t application;
  const char* holds;  // for people: "tuning records"
  // What each version adds to the previous one, from version 1 on. A released row never changes: a
  // new version is a new row.
  std::span<const char* const> versions;
};

const Schema& tuning_schema();
const Schema& study_schema();

// Checks that the file is of this kind (or empty) and not newer than the last version, prepares it
// to be shared and to survive a kill, and upgrades it: completely or not at all.
Status prepare(Connection& db, const Schema& schema);

}  // namespace cambium::store

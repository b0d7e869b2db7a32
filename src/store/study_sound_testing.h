// Checks the file of a study: by SQLite's own check, and by the references of its rows. For tests
// that kill a writer.
#pragma once

#include <cstdint>
#include <string>

#include "base/check.h"
#include "store/schema.h"
#include "store/sqlite.h"

namespace cambium::store {

inline std::int64_t number_from(Connection& db, const char* sql) {
  Query query(db, sql);
  const auto row = query.step();
  CAMBIUM_CHECK(row.ok(), row.rejection().message());
  return *row ? query.integer(0) : 0;
}

// The first mistake; empty: there is none.
inline std::string unsoundness(const std::string& path) {
  auto db = Connection::open(path);
  if (!db.ok()) return db.rejection().message();
  if (const Status prepared = prepare(*db, study_schema()); !prepared.ok()) {
    return prepared.rejection().message();
  }
  Query check(*db, "PRAGMA integrity_check");
  if (const auto row = check.step(); !row.ok()) return row.rejection().message();
  if (check.text(0) != "ok") return std::string(check.text(0));
  if (number_from(*db, "SELECT count(*) FROM pragma_foreign_key_check()") != 0) {
    return "a row points nowhere";
  }
  if (number_from(*db,
                  "SELECT count(*) FROM evaluations AS e WHERE state = 'done' AND NOT EXISTS"
                  " (SELECT * FROM metrics WHERE evaluation = e.id)") != 0) {
    return "an evaluation is done and has no numbers";
  }
  return "";
}

}  // namespace cambium::store

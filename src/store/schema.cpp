#include "store/schema.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <thread>

#include <fmt/format.h>

namespace cambium::store {
namespace {

Result<std::int64_t> number(Connection& db, const char* sql) {
  Query query(db, sql);
  CAMBIUM_TRY(const bool row, query.step());
  return row ? query.integer(0) : 0;
}

Result<std::int64_t> version_of(Connection& db) {
  return number(db, "PRAGMA user_version");
}

// The refusal of a file of another program.
Rejection not_ours(const Connection& db, std::int64_t application, const Schema& schema) {
  for (const Schema* other : {&tuning_schema(), &study_schema()}) {
    if (other->application != application) continue;
    return {Reason::NotADatabase, db.path(),
            fmt::format("it holds {}, not {}; give the path of another file or of a new file",
                        other->holds, schema.holds)};
  }
  return {Reason::NotADatabase, db.path(),
          "it is an SQLite file of another program; give the path of a new file"};
}

// "table.column" for all tables. Views, virtual tables and computed columns do not count.
Result<std::set<std::string>> columns_of(Connection& db) {
  std::set<std::string> columns;
  Query query(db,
              "SELECT lower(tables.name || '.' || columns.name) FROM sqlite_master AS tables"
              " CROSS JOIN pragma_table_xinfo(tables.name) AS columns"
              " WHERE tables.type = 'table' AND tables.rootpage > 0 AND columns.hidden = 0");
  for (;;) {
    CAMBIUM_TRY(const bool row, query.step());
    if (!row) return columns;
    columns.insert(query.text(0));
  }
}

Status make_version(Connection& db, const Schema& schema, std::int64_t version) {
  return db.execute(schema.versions[static_cast<std::size_t>(version)]);
}

// Checks that all tables of that version are there with all columns. Others do no harm.
Status check_tables(Connection& db, const Schema& schema, std::int64_t version) {
  CAMBIUM_TRY(Connection example, Connection::in_memory());
  for (std::int64_t v = 0; v < version; ++v) CAMBIUM_REQUIRE(make_version(example, schema, v));
  CAMBIUM_TRY(const std::set<std::string> wanted, columns_of(example));
  CAMBIUM_TRY(const std::set<std::string> there, columns_of(db));
  for (const std::string& column : wanted) {
    if (!there.contains(column)) return db.damaged(fmt::format("it has no table with {}", column));
  }
  return Ok{};
}

// The version of a file that is ours or empty, read at one moment, because another process may be
// making it.
Result<std::int64_t> check_kind(Connection& db, const Schema& schema) {
  Transaction moment(db);
  CAMBIUM_REQUIRE(moment.begin(Transaction::Kind::Read));
  CAMBIUM_TRY(const std::int64_t application, number(db, "PRAGMA application_id"));
  CAMBIUM_TRY(const std::int64_t tables, number(db, "SELECT count(*) FROM sqlite_master"));
  CAMBIUM_TRY(const std::int64_t version, version_of(db));
  if (application != schema.application && (application != 0 || version != 0 || tables != 0)) {
    return not_ours(db, application, schema);
  }
  if (version < 0) return db.damaged(fmt::format("its version is {}", version));
  const auto newest = static_cast<std::int64_t>(schema.versions.size());
  if (version > newest) {
    return Rejection(Reason::NewerDatabase, db.path(), {}, version, newest);
  }
  CAMBIUM_REQUIRE(check_tables(db, schema, version));
  CAMBIUM_REQUIRE(moment.commit());
  return version;
}

// With a log beside the file, committed data is in the page cache of the system: the death of the
// process loses nothing, and writers do not wait for the disk.
Status share(Connection& db) {
  constexpr int kTries = 500;
  for (int i = 0;; ++i) {
    Query wal(db, "PRAGMA journal_mode=WAL");
    const auto row = wal.step();
    // SQLite does not wait for other processes when it changes the mode.
    if (row.ok()) break;
    if (i == kTries || !wal.is_busy()) return row.rejection();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return db.execute("PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON");
}

}  // namespace

Status prepare(Connection& db, const Schema& schema) {
  CAMBIUM_TRY(const std::int64_t before, check_kind(db, schema));
  const auto newest = static_cast<std::int64_t>(schema.versions.size());
  if (db.is_read_only()) {
    if (db.mode() == Mode::Read && before == newest) return Ok{};
    return Rejection(Reason::DatabaseFailed, db.path(),
                     db.mode() == Mode::Read
                         ? "the file is of an older version and write-protected; give a copy that "
                           "can be brought up to date"
                         : "the file is write-protected; make it writable or give a copy");
  }
  CAMBIUM_REQUIRE(share(db));
  if (before == newest) return Ok{};
  Transaction update(db);
  CAMBIUM_REQUIRE(update.begin(Transaction::Kind::Write));
  CAMBIUM_TRY(const std::int64_t now, version_of(db));  // another process may have upgraded it
  for (std::int64_t v = now; v < newest; ++v) CAMBIUM_REQUIRE(make_version(db, schema, v));
  CAMBIUM_REQUIRE(db.execute(fmt::format("PRAGMA user_version={}; PRAGMA application_id={}",
                                         std::max(now, newest), schema.application)
                                 .c_str()));
  return update.commit();
}

}  // namespace cambium::store

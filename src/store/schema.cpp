#include "store/schema.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include <fmt/format.h>

namespace cambium::store {
namespace {

// "Cmbt", so that `file` and we ourselves know the file.
constexpr std::int64_t kApplication = 0x436d6274;

// Fingerprints are hexadecimal text: people read this file with the sqlite3 command. `seconds` and
// `compared` of a trial follow from its samples and are kept beside it for the index.
constexpr const char* kVersions[] = {
    R"(
CREATE TABLE programs(
  fingerprint TEXT PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE machines(
  fingerprint TEXT PRIMARY KEY, description TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE keys(
  id INTEGER PRIMARY KEY,
  program TEXT NOT NULL, machine TEXT NOT NULL, threads INTEGER NOT NULL, codegen TEXT NOT NULL,
  UNIQUE(program, machine, threads, codegen));
CREATE TABLE trials(
  id INTEGER PRIMARY KEY,
  key INTEGER NOT NULL REFERENCES keys(id),
  scheduled TEXT NOT NULL, trace TEXT NOT NULL,
  strategy TEXT NOT NULL, seed INTEGER NOT NULL, number INTEGER NOT NULL,
  reason TEXT NOT NULL, detail TEXT NOT NULL,
  features BLOB NOT NULL, rows INTEGER NOT NULL,
  compared INTEGER NOT NULL DEFAULT 0, seconds REAL,
  UNIQUE(key, scheduled));
CREATE INDEX trials_best ON trials(key, compared DESC, seconds) WHERE seconds IS NOT NULL;
CREATE INDEX trials_scheduled ON trials(scheduled);
CREATE TABLE samples(
  trial INTEGER NOT NULL REFERENCES trials(id),
  number INTEGER NOT NULL,
  protocol INTEGER NOT NULL, seconds REAL NOT NULL, spread REAL NOT NULL,
  samples INTEGER NOT NULL, error REAL NOT NULL,
  PRIMARY KEY(trial, number)) WITHOUT ROWID;
)",
    // `begun`: its reason holds unless the process that began it takes the row away.
    R"(
ALTER TABLE trials ADD COLUMN begun INTEGER NOT NULL DEFAULT 0;
)",
};

Result<std::int64_t> number(Connection& db, const char* sql) {
  Query query(db, sql);
  CAMBIUM_TRY(const bool row, query.step());
  return row ? query.integer(0) : 0;
}

Result<std::int64_t> version_of(Connection& db) {
  return number(db, "PRAGMA user_version");
}

// Whether the file is one of ours or empty, seen at one moment: another process may be making it.
Status check_kind(Connection& db, std::int64_t newest) {
  Transaction moment(db);
  CAMBIUM_REQUIRE(moment.begin(Transaction::Kind::Read));
  CAMBIUM_TRY(const std::int64_t application, number(db, "PRAGMA application_id"));
  CAMBIUM_TRY(const std::int64_t tables, number(db, "SELECT count(*) FROM sqlite_master"));
  CAMBIUM_TRY(const std::int64_t version, version_of(db));
  if (application != kApplication && (application != 0 || version != 0 || tables != 0)) {
    return Rejection(Reason::NotADatabase, db.path(),
                     "it is an SQLite file of another program; give the path of a new file");
  }
  if (version > newest) {
    return Rejection(Reason::NewerDatabase, db.path(), {}, version, newest);
  }
  return moment.commit();
}

// With a log beside the file, whatever was committed is in the page cache of the system: the death
// of the process loses nothing, and writers do not wait for the disk.
Status share(Connection& db) {
  constexpr int kTries = 500;
  for (int i = 0;; ++i) {
    Query wal(db, "PRAGMA journal_mode=WAL");
    const auto row = wal.step();
    // Changing the mode does not wait for others by itself.
    if (row.ok()) break;
    if (i == kTries || !wal.is_busy()) return row.rejection();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return db.execute("PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON");
}

}  // namespace

std::span<const char* const> tuning_schema() {
  return kVersions;
}

Status prepare(Connection& db, std::span<const char* const> versions) {
  const auto newest = static_cast<std::int64_t>(versions.size());
  CAMBIUM_REQUIRE(check_kind(db, newest));
  if (db.is_read_only()) {
    return Rejection(Reason::DatabaseFailed, db.path(),
                     "the file is write-protected; make it writable or give a copy");
  }
  CAMBIUM_REQUIRE(share(db));
  CAMBIUM_TRY(const std::int64_t before, version_of(db));
  if (before == newest) return Ok{};
  Transaction update(db);
  CAMBIUM_REQUIRE(update.begin(Transaction::Kind::Write));
  CAMBIUM_TRY(const std::int64_t now, version_of(db));  // another process may have been here
  for (std::int64_t v = now; v < newest; ++v) {
    CAMBIUM_REQUIRE(db.execute(versions[static_cast<std::size_t>(v)]));
  }
  CAMBIUM_REQUIRE(db.execute(fmt::format("PRAGMA user_version={}; PRAGMA application_id={}",
                                         std::max(now, newest), kApplication)
                                 .c_str()));
  return update.commit();
}

}  // namespace cambium::store

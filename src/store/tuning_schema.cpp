#include "store/schema.h"

namespace cambium::store {
namespace {

// Fingerprints are hexadecimal text: people read this file with the sqlite3 command. `seconds` and
// `compared` of a trial follow from its samples and are kept beside it for the index.
constexpr const char* kTuningVersions[] = {
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
    // `begun`: the refusal holds unless the process that began the trial removes the row.
    R"(
ALTER TABLE trials ADD COLUMN begun INTEGER NOT NULL DEFAULT 0;
)",
};

// "Cmbt", so that `file` and we ourselves know the file.
constexpr Schema kTuningSchema{0x436d6274, "tuning records", kTuningVersions};

}  // namespace

const Schema& tuning_schema() {
  return kTuningSchema;
}

}  // namespace cambium::store

#include "store/schema.h"

namespace cambium::store {
namespace {

// Fingerprints are hexadecimal text and states are words, because people read this file with the
// sqlite3 command; the views are for them. Rows refer to each other by number in the order of
// insertion: new rows go to the end of every index, so adding stays fast in a large file. A seed
// has 64 bits; SQLite takes the highest bit as a sign. Columns without NOT NULL hold measured
// numbers, because SQLite has no NaN and a diverged training gives NaN.
constexpr const char* kStudyVersions[] = {
    R"(
CREATE TABLE study(
  one INTEGER PRIMARY KEY CHECK(one = 1),
  base TEXT NOT NULL, model TEXT NOT NULL, data TEXT NOT NULL, options TEXT NOT NULL,
  revision TEXT NOT NULL);
CREATE TABLE candidates(
  id INTEGER PRIMARY KEY,
  identity TEXT NOT NULL UNIQUE, parent TEXT,
  search TEXT NOT NULL, ticket INTEGER NOT NULL, seed INTEGER NOT NULL,
  strategy TEXT NOT NULL, space TEXT NOT NULL, title TEXT NOT NULL, document TEXT NOT NULL);
CREATE TABLE evaluators(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL, version TEXT NOT NULL, options TEXT NOT NULL, machine TEXT NOT NULL,
  UNIQUE(name, version, options, machine));
CREATE TABLE origins(
  id INTEGER PRIMARY KEY,
  host TEXT NOT NULL, revision TEXT NOT NULL,
  UNIQUE(host, revision));
CREATE TABLE evaluations(
  id INTEGER PRIMARY KEY,
  candidate INTEGER NOT NULL REFERENCES candidates(id),
  evaluator INTEGER NOT NULL REFERENCES evaluators(id),
  fidelity REAL NOT NULL, seed INTEGER NOT NULL,
  state TEXT NOT NULL CHECK(state IN ('done', 'refused', 'pending')),
  reason TEXT NOT NULL, detail TEXT NOT NULL,
  seconds REAL, ended REAL,
  origin INTEGER NOT NULL REFERENCES origins(id),
  UNIQUE(candidate, evaluator, fidelity, seed));
CREATE INDEX evaluations_pending ON evaluations(evaluator) WHERE state = 'pending';
CREATE TABLE metrics(
  evaluation INTEGER NOT NULL REFERENCES evaluations(id),
  name TEXT NOT NULL,
  value REAL, spread REAL, samples INTEGER NOT NULL, is_estimate INTEGER NOT NULL,
  PRIMARY KEY(evaluation, name)) WITHOUT ROWID;
CREATE TABLE curves(
  evaluation INTEGER NOT NULL REFERENCES evaluations(id),
  number INTEGER NOT NULL,
  x REAL, value REAL, loss REAL, seconds REAL,
  PRIMARY KEY(evaluation, number)) WITHOUT ROWID;
CREATE TABLE artifacts(
  id INTEGER PRIMARY KEY,
  evaluation INTEGER NOT NULL REFERENCES evaluations(id),
  name TEXT NOT NULL, bytes BLOB NOT NULL,
  UNIQUE(evaluation, name));
CREATE TABLE searches(
  name TEXT PRIMARY KEY, folded INTEGER NOT NULL, state TEXT NOT NULL);
CREATE VIEW results AS
  SELECT candidates.identity AS candidate, candidates.title,
         evaluators.name AS evaluator, evaluations.fidelity, evaluations.seed, evaluations.state,
         metrics.name AS metric, metrics.value, metrics.spread, metrics.is_estimate,
         evaluations.reason, evaluations.seconds, evaluators.machine, origins.host
  FROM evaluations
  JOIN candidates ON candidates.id = evaluations.candidate
  JOIN evaluators ON evaluators.id = evaluations.evaluator
  JOIN origins ON origins.id = evaluations.origin
  LEFT JOIN metrics ON metrics.evaluation = evaluations.id;
CREATE VIEW rejections AS
  SELECT evaluators.name AS evaluator, evaluations.reason, count(*) AS count,
         evaluations.detail AS example, min(evaluations.id) AS first
  FROM evaluations JOIN evaluators ON evaluators.id = evaluations.evaluator
  WHERE evaluations.state = 'refused'
  GROUP BY evaluators.name, evaluations.reason;
)",
    R"(
ALTER TABLE searches ADD COLUMN options TEXT NOT NULL DEFAULT '';
CREATE TABLE claims(
  candidate INTEGER NOT NULL REFERENCES candidates(id),
  evaluator INTEGER NOT NULL REFERENCES evaluators(id),
  fidelity REAL NOT NULL, seed INTEGER NOT NULL,
  owner TEXT NOT NULL, until REAL NOT NULL,
  PRIMARY KEY(candidate, evaluator, fidelity, seed)) WITHOUT ROWID;
)",
};

constexpr Schema kStudySchema{0x436d6273, "a study", kStudyVersions};  // "Cmbs"

}  // namespace

const Schema& study_schema() {
  return kStudySchema;
}

}  // namespace cambium::store

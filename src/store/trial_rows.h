// Rows of trials, their keys and their samples. Each function is a part of a transaction that the
// caller begins and commits. Refuses what SQLite refuses. Called by the store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/sqlite.h"
#include "store/trial.h"

namespace cambium::store {

Result<std::int64_t> find_key(Connection& db, const TuningKey& key);  // 0: there is none
// Of a scheduled program under that key; 0: there is none.
Result<std::int64_t> find_trial(Connection& db, std::int64_t key, Fingerprint scheduled);
Result<std::vector<TuningKey>> all_keys(Connection& db);

Result<std::vector<Trial>> trials_of(Connection& db, std::int64_t key);  // as they came
// Those by comparison, or those without; the fastest first, none refused.
Result<std::vector<Trial>> fastest_of(Connection& db, std::int64_t key, bool compared,
                                      std::int64_t count);
Result<std::optional<KeyedTrial>> trial_with(Connection& db, std::int64_t id);
// Of trials whose scheduled program begins with those digits.
Result<std::vector<std::int64_t>> ids_beginning(Connection& db, const std::string& digits);

struct Added {
  std::int64_t id;
  bool is_new;
};
// Without samples. What was only begun gives way to it.
Result<Added> add_trial(Connection& db, const TuningKey& key, const Trial& trial);
// Brings the time of the trial up to date.
Status append_samples(Connection& db, std::int64_t id, const std::vector<TuningSample>& samples);
// What another file says of the program: a final refusal stands, whichever of the two says it;
// otherwise the samples that the trial has not come to those it has, equal ones as often as they
// occur.
Status join_trial(Connection& db, std::int64_t id, const Trial& trial);
Status set_trace(Connection& db, std::int64_t id, const std::string& trace);
Status refuse_trial(Connection& db, std::int64_t id, const std::string& reason,
                    const std::string& detail);

// A row that add_trial takes the place of, and that drop_begun takes away. Nothing where there is
// one already.
Status add_begun(Connection& db, const TuningKey& key, const Trial& trial);
Status drop_begun(Connection& db, const TuningKey& key, Fingerprint scheduled);

}  // namespace cambium::store

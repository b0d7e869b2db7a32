// Trials with keys and samples, as rows. The caller begins and commits the transaction of each
// function. Refuses what SQLite refuses. Called by the store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/sqlite.h"
#include "store/trial.h"

namespace cambium::store {

Result<std::int64_t> find_key(Connection& db, const TuningKey& key);  // 0: unknown
// The row of a scheduled program under that key; 0: unknown.
Result<std::int64_t> find_trial(Connection& db, std::int64_t key, Fingerprint scheduled);
Result<std::vector<TuningKey>> all_keys(Connection& db);

Result<std::vector<Trial>> trials_of(Connection& db, std::int64_t key);  // in order of insertion
// Trials with samples by comparison, or those without. The fastest first; refused ones are left
// out.
Result<std::vector<Trial>> fastest_of(Connection& db, std::int64_t key, bool compared,
                                      std::int64_t count);
Result<std::optional<KeyedTrial>> trial_with(Connection& db, std::int64_t id);
// Trials whose scheduled program begins with these digits.
Result<std::vector<std::int64_t>> ids_beginning(Connection& db, const std::string& digits);

struct Added {
  std::int64_t id;
  bool is_new;
};
// Adds the trial without its samples. It replaces a trial that was only begun.
Result<Added> add_trial(Connection& db, const TuningKey& key, const Trial& trial);
// Updates the time of the trial.
Status append_samples(Connection& db, std::int64_t id, const std::vector<TuningSample>& samples);
// Merges a trial of another file. A final refusal in either file stands. Otherwise the trial gets
// the samples that it lacks; equal samples count as often as they occur.
Status join_trial(Connection& db, std::int64_t id, const Trial& trial);
Status set_trace(Connection& db, std::int64_t id, const std::string& trace);
Status refuse_trial(Connection& db, std::int64_t id, const std::string& reason,
                    const std::string& detail);

// Adds a row that add_trial replaces and drop_begun removes. Does nothing if the program has a row.
Status add_begun(Connection& db, const TuningKey& key, const Trial& trial);
Status drop_begun(Connection& db, const TuningKey& key, Fingerprint scheduled);

}  // namespace cambium::store

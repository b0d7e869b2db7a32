// The tuner's memory in a tuning store, for one machine and one version of the code generator. It
// skips a record whose trace can no longer be read: the program may be tried again and then gets a
// readable trace. Refuses what the store refuses. Made by engine.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "store/tuning_store.h"
#include "tune/task.h"

namespace cambium::tune {

class Database : public Memory {
 public:
  // The store must outlive the database. The records get `seed`, the seed of the search.
  Database(store::TuningStore& store, const Machine& machine, std::string codegen,
           std::uint64_t seed);

  Result<std::vector<Known>> known(const Task& task) override;
  // A candidate that two processes did not survive is refused as CodegenFailed.
  Status begin_build(const Task& task, const Candidate& candidate, std::int64_t number) override;
  Status end_build(const Task& task, Fingerprint scheduled) override;
  Status record(const Task& task, const Outcome& outcome) override;
  // Also refuses DatabaseFailed for a program that was never recorded.
  Status record_comparison(const Task& task, const Candidate& candidate,
                           const Measurement& measurement) override;
  Status record_refusal(const Task& task, Fingerprint scheduled, const Rejection& why) override;

  store::TuningKey key_of(const Task& task) const;

 private:
  Result<std::int64_t> id_of(const Task& task, Fingerprint scheduled);
  store::Trial trial_of(const Candidate& candidate, std::int64_t number) const;

  std::mutex mutex_;  // only one thread at a time may use a store
  store::TuningStore& store_;
  Fingerprint machine_;
  std::string codegen_;
  std::uint64_t seed_;
};

// The fastest schedules under a key whose traces can be read, the best first, each with the
// fingerprint of the program that was timed. There are several, because a trace of an older version
// may no longer make its program.
struct KnownSchedule {
  schedule::Trace trace;
  Fingerprint scheduled;
};
Result<std::vector<KnownSchedule>> best_schedules(store::TuningStore& store,
                                                  const store::TuningKey& key);

}  // namespace cambium::tune

// Tuning records on disk: one SQLite file that several processes share. Nothing measured is lost:
// each record has its own transaction, and a killed process leaves a file that opens. The store
// knows texts and numbers, no programs. Refuses NotADatabase, NewerDatabase, DatabaseFailed, and
// BadRecord for lines from outside. Called by engine; tune sees it through its own port.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/mode.h"
#include "store/trial.h"

namespace cambium::store {

// A handle. Several handles may have one file open, in one process or many. Only one thread at a
// time may use a handle.
class TuningStore {
 public:
  // Upgrades a file of an older version.
  static Result<TuningStore> open(const std::string& path, Mode mode = Mode::Make);
  TuningStore(TuningStore&&) noexcept;
  TuningStore& operator=(TuningStore&&) noexcept;
  ~TuningStore();

  Status remember(const TunedProgram& program);
  Status remember(const TunedMachine& machine);
  Result<std::optional<TunedProgram>> program(Fingerprint fingerprint);
  Result<std::vector<TunedProgram>> programs();
  Result<std::optional<TunedMachine>> machine(Fingerprint fingerprint);
  Result<std::vector<TunedMachine>> machines();

  // Returns the id. A scheduled program that is there under this key keeps its row: it gets the new
  // samples, the features if it had none, and the new trace, which knows the newest steps. A
  // refused trial that is measured now is no longer refused.
  Result<std::int64_t> add(const TuningKey& key, const Trial& trial);
  // Marks a trial that may kill this process: until end() it counts as begun, and as refused for
  // the given reason. add() replaces it. Does nothing if the program has a row. Neither call waits
  // for the disk.
  Status begin(const TuningKey& key, const Trial& trial);
  Status end(const TuningKey& key, Fingerprint scheduled);
  Status set_trace(std::int64_t id, const std::string& trace);  // of the same program
  // Adds samples to a stored trial.
  Status add_samples(std::int64_t id, const std::vector<TuningSample>& samples);
  // Refuses a measured trial: its times were those of a wrong kernel.
  Status refuse(std::int64_t id, const std::string& reason, const std::string& detail);

  // Nothing: the program has no row under this key.
  Result<std::optional<std::int64_t>> id_of(const TuningKey& key, Fingerprint scheduled);
  Result<std::vector<Trial>> trials(const TuningKey& key);  // in order of insertion
  // The fastest first, without refused trials. Trials with samples by comparison come first, except
  // before trials that were ranked faster by more than both spreads.
  Result<std::vector<Trial>> best(const TuningKey& key, std::int64_t count);
  // By id, or by the first hexadecimal digits of the scheduled program's fingerprint (at least
  // four). At most 100.
  Result<std::vector<KeyedTrial>> find(const std::string& what);
  Result<std::vector<TuningKey>> keys();
  Result<std::int64_t> count();  // of trials

  // JSON lines, one object each: programs, machines, trials (docs/schema/tuning_record.json), of
  // one moment and without begun trials. Importing adds what is missing; a trial that either file
  // refuses finally (is_final) is refused. Returns how many trials were new. A bad line is refused
  // with its number; then the file stays as it was.
  Status export_lines(const std::function<Status(const std::string& line)>& write);
  Result<std::int64_t> import_lines(const std::function<std::optional<std::string>()>& next);

 private:
  struct State;
  explicit TuningStore(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cambium::store

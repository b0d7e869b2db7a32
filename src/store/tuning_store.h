// Tuning records on disk: one SQLite file that several processes and machines share. What was
// measured is never lost: every record is written in a transaction of its own, and a process that
// is killed leaves a file that the next one opens. Knows texts and numbers, no programs. Refuses
// NotADatabase, NewerDatabase, DatabaseFailed, and of foreign lines BadRecord. Called by engine;
// tune sees it through its own port.
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

// A handle. Several may have one file open, in one process or many; one handle is not for two
// threads at a time.
class TuningStore {
 public:
  // Brings a file of an older version up to date.
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

  // Gives the id. A scheduled program that is there under this key keeps its row: samples of
  // `trial` join those it has, features come to those that had none, and the trace is the last
  // one's, which knows the newest steps. What was refused and is measured now was not refused.
  Result<std::int64_t> add(const TuningKey& key, const Trial& trial);
  // A trial that may take this process with it: until end() it is there as one that was refused,
  // for the reason given, and is begun. add() takes its place. Nothing where the program has a row.
  // Neither waits for the disk.
  Status begin(const TuningKey& key, const Trial& trial);
  Status end(const TuningKey& key, Fingerprint scheduled);
  Status set_trace(std::int64_t id, const std::string& trace);  // another one of the same program
  // More samples for a trial that is there.
  Status add_samples(std::int64_t id, const std::vector<TuningSample>& samples);
  // What was measured and then failed is refused: its times were those of a wrong kernel.
  Status refuse(std::int64_t id, const std::string& reason, const std::string& detail);

  // Nothing: the program has no row under this key.
  Result<std::optional<std::int64_t>> id_of(const TuningKey& key, Fingerprint scheduled);
  Result<std::vector<Trial>> trials(const TuningKey& key);  // in the order in which they came
  // The fastest first, none refused; those with samples by comparison before those without, but for
  // what was ranked faster than they themselves were, by more than both spread.
  Result<std::vector<Trial>> best(const TuningKey& key, std::int64_t count);
  // By id, or by the beginning of the fingerprint of the scheduled program in hexadecimal (at least
  // four digits). At most 100.
  Result<std::vector<KeyedTrial>> find(const std::string& what);
  Result<std::vector<TuningKey>> keys();
  Result<std::int64_t> count();  // of trials

  // JSON lines, one object each: programs, machines, trials (docs/schema/tuning_record.json), as
  // they were at one moment, without what is begun. Import joins: what is there already stays once,
  // and what either file refuses for good (is_final) is refused. It gives how many trials were new;
  // a bad line is refused with its number and leaves the file as it was.
  Status export_lines(const std::function<Status(const std::string& line)>& write);
  Result<std::int64_t> import_lines(const std::function<std::optional<std::string>()>& next);

 private:
  struct State;
  explicit TuningStore(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cambium::store

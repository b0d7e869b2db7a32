// Tuning records on disk: one SQLite file that several processes and machines share. What was
// measured is never lost: every record is written in a transaction of its own, and a process that
// is killed leaves a file that the next one opens. Knows texts and numbers, no programs. Refuses
// NotADatabase, NewerDatabase, DatabaseFailed, and of foreign lines BadRecord. Called by engine;
// tune sees it through its own port.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fingerprint.h"
#include "base/result.h"

namespace cambium::store {

// What a time depends on.
struct TuningKey {
  Fingerprint program;  // as lowered
  Fingerprint machine;
  int threads = 1;
  std::string codegen;  // codegen::version()

  friend bool operator==(const TuningKey&, const TuningKey&) = default;
};

// How a number was measured: once on the way, or beside others for the last word.
enum class Protocol : std::uint8_t { Rank, Compare };

struct TuningSample {
  Protocol protocol = Protocol::Rank;
  double seconds = 0;
  double spread = 0;
  int samples = 0;
  double error = 0;  // as a share of what rounding allows

  friend auto operator<=>(const TuningSample&, const TuningSample&) = default;
};

// One schedule that was tried: one row for each scheduled program under a key.
struct Trial {
  std::int64_t id = 0;    // given by the store
  Fingerprint scheduled;  // fingerprint of the scheduled program
  std::string trace;
  std::string strategy;               // what proposed it: "default", "evolution", ...
  std::uint64_t seed = 0;             // of the search
  std::int64_t number = 0;            // which trial of the search it was
  std::vector<TuningSample> samples;  // all that were taken; none: it was refused
  std::string reason, detail;         // of a refusal: its name and its words
  std::vector<float> features;        // as tune/features.h makes them; may be empty
  std::int64_t rows = 0;              // of `features`

  friend bool operator==(const Trial&, const Trial&) = default;

  bool is_refused() const { return samples.empty(); }
  // The samples that count: those by comparison, or, where there are none, all.
  std::vector<TuningSample> best_samples() const;
  double seconds() const;  // their median; infinite when refused
};

// A program that was tuned, so that a record can be explained elsewhere.
struct TunedProgram {
  Fingerprint fingerprint;
  std::string name;
  std::string text;  // as lowered, with canonical names

  friend bool operator==(const TunedProgram&, const TunedProgram&) = default;
};

struct TunedMachine {
  Fingerprint fingerprint;
  std::string description;  // JSON, with ceilings

  friend bool operator==(const TunedMachine&, const TunedMachine&) = default;
};

// A handle. Several may have one file open, in one process or many; one handle is not for two
// threads at a time.
class TuningStore {
 public:
  // Makes the file where there is none; brings one of an older version up to date.
  static Result<TuningStore> open(const std::string& path);
  TuningStore(TuningStore&&) noexcept;
  TuningStore& operator=(TuningStore&&) noexcept;
  ~TuningStore();

  Status remember(const TunedProgram& program);
  Status remember(const TunedMachine& machine);
  Result<std::optional<TunedProgram>> program(Fingerprint fingerprint);
  Result<std::vector<TunedProgram>> programs();
  Result<std::vector<TunedMachine>> machines();

  // Gives the id. A scheduled program that is there under this key keeps its row: samples of
  // `trial` join those it has, features come to those that had none, and the trace is the last
  // one's, which knows the newest steps. What was refused and is measured now was not refused.
  Result<std::int64_t> add(const TuningKey& key, const Trial& trial);
  // More samples for a trial that is there.
  Status add_samples(std::int64_t id, const std::vector<TuningSample>& samples);
  // What was measured and then failed is refused: its times were those of a wrong kernel.
  Status refuse(std::int64_t id, const std::string& reason, const std::string& detail);

  Result<std::vector<Trial>> trials(const TuningKey& key);  // in the order in which they came
  // The fastest first, none refused; those with samples by comparison before those without, but for
  // what was ranked faster than they themselves were, by more than both spread.
  Result<std::vector<Trial>> best(const TuningKey& key, std::int64_t count);
  // By id, or by the beginning of the fingerprint of the scheduled program in hexadecimal (at least
  // four digits). At most 100.
  struct Found {
    TuningKey key;
    Trial trial;
  };
  Result<std::vector<Found>> find(const std::string& what);
  Result<std::vector<TuningKey>> keys();
  Result<std::int64_t> count();  // of trials

  // JSON lines, one object each: programs, machines, trials (docs/schema/tuning_record.json), as
  // they were at one moment. Import joins: what is there already stays once. It gives how many
  // trials were new; a bad line is refused with its number and leaves the file as it was.
  Status export_lines(const std::function<Status(const std::string& line)>& write);
  Result<std::int64_t> import_lines(const std::function<std::optional<std::string>()>& next);

 private:
  struct State;
  explicit TuningStore(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cambium::store

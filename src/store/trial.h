// The contents of a tuning database as values: trials with keys and samples, and their programs and
// machines. Only texts and numbers. Refuses nothing. Used by the store and its readers.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/fingerprint.h"

namespace cambium::store {

// Everything that a time depends on.
struct TuningKey {
  Fingerprint program;  // as lowered
  Fingerprint machine;
  int threads = 1;
  std::string codegen;  // codegen::version(machine)

  friend bool operator==(const TuningKey&, const TuningKey&) = default;
};

// How a time was measured: alone during the search, or side by side with others at the end.
enum class Protocol : std::uint8_t { Rank, Compare };

struct TuningSample {
  Protocol protocol = Protocol::Rank;
  double seconds = 0;
  double spread = 0;
  int samples = 0;
  double error = 0;  // relative to what rounding allows

  friend auto operator<=>(const TuningSample&, const TuningSample&) = default;
};

// A schedule that was tried: one row for each scheduled program under a key.
struct Trial {
  std::int64_t id = 0;    // given by the store
  Fingerprint scheduled;  // fingerprint of the scheduled program
  std::string trace;
  std::string strategy;               // that proposed it: "default", "evolution", ...
  std::uint64_t seed = 0;             // of the search
  std::int64_t number = 0;            // number of the trial in the search
  std::vector<TuningSample> samples;  // empty: it was refused
  std::string reason, detail;         // of a refusal: its name and explanation
  std::vector<float> features;        // see tune/features.h; may be empty
  std::int64_t rows = 0;              // of `features`
  bool is_begun = false;              // a process began to compile it and has not finished

  friend bool operator==(const Trial&, const Trial&) = default;

  bool is_refused() const { return samples.empty(); }
  // The samples that count: those by comparison, or all if there are none.
  std::vector<TuningSample> best_samples() const;
  double seconds() const;  // their median; infinite: refused
};

// Whether a refusal of that name is final: the kernel computes something else or does harm,
// whatever times it has. Other refusals may be temporary (a time limit, a killed compiler); samples
// of another run overrule them.
bool is_final(std::string_view reason);

struct KeyedTrial {
  TuningKey key;
  Trial trial;
};

// A tuned program, so that another machine can explain a record.
struct TunedProgram {
  Fingerprint fingerprint;
  std::string name;
  std::string text;  // as lowered, with canonical names

  friend bool operator==(const TunedProgram&, const TunedProgram&) = default;
};

struct TunedMachine {
  Fingerprint fingerprint;
  std::string description;  // JSON with ceilings

  friend bool operator==(const TunedMachine&, const TunedMachine&) = default;
};

// Whether one trial was ranked faster than the other by more than both spreads. Only times by
// ranking are compared, because other protocols give other numbers.
bool is_surely_faster(const Trial& a, const Trial& b);

}  // namespace cambium::store

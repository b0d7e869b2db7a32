// What a tuning database holds, as values: trials with their keys and samples, the programs and the
// machines that they are of. Texts and numbers, no programs. Used by the store and all who read it.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/fingerprint.h"

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
  bool is_begun = false;  // a process began to compile it, and never said how that ended

  friend bool operator==(const Trial&, const Trial&) = default;

  bool is_refused() const { return samples.empty(); }
  // The samples that count: those by comparison, or, where there are none, all.
  std::vector<TuningSample> best_samples() const;
  double seconds() const;  // their median; infinite when refused
};

// Whether a refusal of that name says that the kernel is bad, whatever others measured of it: it
// computes something else or does harm. Other refusals may be of the moment (a limit of time, a
// compiler that was killed), and samples of another run contradict them.
bool is_final(std::string_view reason);

struct KeyedTrial {
  TuningKey key;
  Trial trial;
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

// As both were ranked, since other protocols give other numbers: by more than the spreads. One that
// was never ranked is not beaten so.
bool is_surely_faster(const Trial& a, const Trial& b);

}  // namespace cambium::store

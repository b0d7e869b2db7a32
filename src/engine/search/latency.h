// The evaluator `latency`: compiles a model for this machine, tunes it with as many trials as the
// fidelity says, checks it against the reference executor, and measures its time.
#pragma once

#include <cstdint>
#include <string>

#include "base/machine.h"
#include "base/result.h"
#include "engine/search/evaluator.h"
#include "measure/timing.h"
#include "model/model.h"

namespace cambium::engine {

struct LatencyOptions {
  int threads = 1;
  int jobs = 1;               // for compiling and tuning
  std::int64_t trials = 0;    // of tuning, per kernel; 0: default schedules
  double tuning_seconds = 0;  // limit for all tuning; 0: none
  std::string db;             // tuned schedules; empty: none
  std::string machine_file;   // the ceilings of this machine, for tuning
  std::uint64_t seed = 1;
  // ThreadCpu suits a machine that works for others too, but it counts one thread only.
  measure::Clock clock = measure::Clock::Wall;
  // Another model with the same inputs that is measured in turn with this one; null: none.
  const model::Model* beside = nullptr;
};

struct Latency {
  double seconds = 0;  // of one run: the median of bursts
  double spread = 0;   // relative: the median distance of the bursts from that
  std::int64_t bursts = 0;
  double error = 0;  // relative, against the reference executor
  // Time of the other model divided by this one, burst by burst; 0: no other model.
  double speedup = 0, speedup_spread = 0;
  std::int64_t kernels = 0, tuned = 0;
  std::int64_t memory_bytes = 0;  // weights and workspace of the code
};

// Refuses what compiling refuses, WrongResult, and Unavailable without a code generator.
Result<Latency> measure_latency(const model::Model& model, const LatencyOptions& options);

// Options of a job: `threads`, `jobs`, `seconds`. The fidelity is the number of trials per kernel.
// Gives `latency`, `native_memory`, and if tuned `speedup`: the time of the original divided by
// this one, measured side by side in one process.
Evaluator latency_evaluator();
// Includes the version of the code generator, because its code is timed.
std::string latency_version();

}  // namespace cambium::engine

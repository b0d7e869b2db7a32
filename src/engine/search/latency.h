// The latency of a model as native code on this machine, tuned as far as the fidelity says, and
// checked against the reference executor before any time counts. The evaluator `latency`.
#pragma once

#include <cstdint>
#include <string>

#include "base/machine.h"
#include "base/result.h"
#include "engine/search/evaluator.h"
#include "model/model.h"

namespace cambium::engine {

struct LatencyOptions {
  int threads = 1;
  int jobs = 1;               // that compile and search
  std::int64_t trials = 0;    // of tuning per kernel; 0: default schedules
  double tuning_seconds = 0;  // of all of it; 0: no limit
  std::string db;             // of tuned schedules; empty: none
  std::string machine_file;   // where the ceilings of this machine are kept; for tuning
  std::uint64_t seed = 1;
  // Another model with the same inputs, compiled by the same schedules, that is run in turn with
  // this one; null: none.
  const model::Model* beside = nullptr;
};

struct Latency {
  double seconds = 0;  // of one run, the median of bursts
  double spread = 0;   // relative: median distance of the bursts from it
  std::int64_t bursts = 0;
  double error = 0;  // against the reference executor, relative
  // How many times as long the other model took, burst against burst; 0: there is none.
  double speedup = 0, speedup_spread = 0;
  std::int64_t kernels = 0, tuned = 0;
  std::int64_t memory_bytes = 0;  // weights as the code reads them, and its workspace
};

// Refuses what compiling refuses, WrongResult, and Unavailable without a code generator.
Result<Latency> measure_latency(const model::Model& model, const LatencyOptions& options);

// Options of a job: `threads`, `jobs`, `seconds`; its fidelity is the trials per kernel. Gives
// `latency`, `native_memory`, and where it is tuned `speedup`: how many times as long the original
// takes, side by side in one process.
Evaluator latency_evaluator();
// What its results depend on, here.
Result<search::Offer> latency_offer();

}  // namespace cambium::engine

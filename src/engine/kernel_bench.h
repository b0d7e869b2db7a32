// The tuner's bench over native code: candidates are compiled as `cambium compile` would compile
// them, what depends on constants alone split off and run once, and run, checked and timed in
// cambium-runner. What is expected of a task is computed once. Refuses what replaying, verifying,
// code generation and the runner refuse. Called by tune.h.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/machine.h"
#include "base/result.h"
#include "tune/task.h"

namespace cambium::engine {

struct KernelBenchOptions {
  std::string runner;  // the executable; empty looks beside this program
  // The executable that compiles what a process died in (engine/rehearsal.h); empty: none does.
  std::string rehearsal;
  const std::atomic<bool>* stop = nullptr;  // set: what is rehearsed ends
  std::int64_t memory_bytes = std::int64_t{4} << 30;
  double first_seconds = 5;  // for a call of a task of which no time is known
  std::uint64_t seed = 1;    // of the numbers that candidates are run with
  // Constants that were packed are kept for the next candidate that wants them so.
  std::int64_t kept_bytes = std::int64_t{256} << 20;
};

// Refuses RunnerMissing, RunnerFailed, and Unavailable in a build without LLVM.
Result<std::unique_ptr<tune::Bench>> make_kernel_bench(const Machine& machine,
                                                       const KernelBenchOptions& options = {});

// Compiles a candidate once as the bench would, and throws the code away.
Status compile_candidate(const Machine& machine, const std::string& program,
                         const schedule::Trace& trace);

}  // namespace cambium::engine

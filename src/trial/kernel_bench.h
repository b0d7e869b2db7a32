// The tuner's bench over native code. It builds candidates as `cambium compile` does: the part that
// depends only on constants is split off and runs once. cambium-runner runs, checks and times them.
// The expected results of a task are computed once. Refuses what replaying, verifying, code
// generation and the runner refuse.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/machine.h"
#include "base/result.h"
#include "tune/task.h"

namespace cambium::trial {

struct KernelBenchOptions {
  std::string runner;  // the executable; empty: the one in the folder of this program
  // tune::Bench::rehearse; empty: refuses nothing.
  std::function<Status(const tune::Task&, const schedule::Trace&)> rehearse;
  std::int64_t memory_bytes = std::int64_t{4} << 30;
  double first_seconds = 5;  // limit of one call while no time of the task is known
  std::uint64_t seed = 1;    // for the random arguments
  // Memory for packed constants, which are kept for the next candidate that packs them alike.
  std::int64_t kept_bytes = std::int64_t{256} << 20;
};

// Refuses RunnerMissing, RunnerFailed, and Unavailable in a build without LLVM.
Result<std::unique_ptr<tune::Bench>> make_kernel_bench(const Machine& machine,
                                                       const KernelBenchOptions& options = {});

// Compiles a candidate once as the bench would, and throws the code away.
Status compile_candidate(program::Context& cx, const program::Program& program,
                         const schedule::Trace& trace, const Machine& machine);

}  // namespace cambium::trial

// Child processes. The death of a child is returned as a value. Foreign or generated code runs only
// in child processes, so a crash, a hang or a flood of memory or output costs one result and never
// the search. Refuses only what could not be started (NotFound, Unstartable).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cambium {

struct ProcessLimits {
  double wall_seconds = 60;            // afterwards the whole process group is killed
  double cpu_seconds = 0;              // rounded up to whole seconds; 0: no limit
  std::int64_t memory_bytes = 0;       // private writable memory (RLIMIT_DATA); 0: no limit
  std::size_t output_bytes = 1 << 20;  // kept per stream; the rest is read and dropped
};

struct ProcessRequest {
  std::vector<std::string> argv;  // argv[0] is looked up in PATH unless it has a slash
  std::string input;              // what the child reads on standard input
  ProcessLimits limits;
  const std::atomic<bool>* stop = nullptr;  // when it becomes true, the child is killed
};

enum class Death { Exited, Signalled, WallTime, CpuTime, Memory };

struct ProcessOutcome {
  Death death = Death::Exited;
  int code = 0;  // the exit code, or the signal for all other deaths
  std::string output, errors;
  bool output_cut = false, errors_cut = false;
  double wall_seconds = 0;

  bool succeeded() const { return death == Death::Exited && code == 0; }
  std::string text() const;  // "exit code 3", "killed by SIGSEGV", "ran longer than 2 s"
};

// Runs the child in its own process group and returns when it is dead. Processes that it left
// running are killed with it. The cause is memory if the kernel's out-of-memory killer struck, or
// if a child with a memory limit failed and mentioned memory on standard error.
Result<ProcessOutcome> run_process(const ProcessRequest& request);

}  // namespace cambium

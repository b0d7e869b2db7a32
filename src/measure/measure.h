// Runs native code in cambium-runner, a process of its own, and gives back what it computed or how
// long it took. A crash, a hang, a write outside a buffer or a wrong result costs one Rejection
// (BadObject, SymbolMissing, KernelCrashed, KernelTimeout, KernelMemory, GuardTouched,
// OutputUntouched, WrongResult). A time is given only of code whose result was checked.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/measurement.h"
#include "base/result.h"
#include "codegen/codegen.h"
#include "measure/buffers.h"
#include "measure/check.h"
#include "measure/timing.h"
#include "program/interpret.h"

namespace cambium::measure {

struct Limits {
  double seconds = 10;  // for one call; timing takes as many as it makes
  std::int64_t memory_bytes = std::int64_t{4} << 30;  // code, buffers and workspace
};

// Code and the case by which it is checked before its time counts. Code that takes other buffers
// than the case's program, because its constants were packed beforehand, says which and brings what
// it is called with; its outputs are those of the case, in their order.
struct Contender {
  const codegen::ObjectCode& code;
  const Case& test;
  const KernelBuffers* buffers = nullptr;  // nullptr: the case's, with its arguments
  std::vector<const program::Array*> arguments = {};
};

// One runner process, kept warm over many kernels; a new one is started when it dies. Not for two
// threads at a time.
class Runner {
 public:
  // `executable`: empty looks beside this program. Refuses RunnerMissing and RunnerFailed.
  static Result<Runner> start(const std::string& executable = {}, const Limits& limits = {});
  Runner(Runner&&) noexcept;
  Runner& operator=(Runner&&) noexcept;
  ~Runner();

  // From now on, for one call. A search knows more and more about how long a call may take.
  void limit_seconds(double seconds);

  // Arguments are inputs and constants in parameter order, as for the interpreter; gives the
  // outputs. Buffers stand between guard pages, outputs and workspace are poisoned before the call.
  // One thread: the kernel gets no cambium_parallel.
  Result<std::vector<program::Array>> run(const codegen::ObjectCode& code,
                                          const KernelBuffers& buffers,
                                          std::span<const program::Array> arguments, int threads);
  // The same with arguments that lie apart.
  Result<std::vector<program::Array>> run_with(const codegen::ObjectCode& code,
                                               const KernelBuffers& buffers,
                                               std::vector<const program::Array*> arguments,
                                               int threads);

  // Seconds of one call, by ranking: scaled by the calibration loop to the speed that this Runner
  // saw first, so that times of one Runner can be ordered. Checked first. A single thread is timed
  // by its own clock, which stands still while others have the core; several by the wall's.
  Result<Measurement> rank(const Contender& contender, int threads,
                           const RankingOptions& options = {});
  // Both checked first, then alternating in one process.
  Result<Comparison> compare(const Contender& ours, const Contender& theirs, int threads,
                             const ComparisonOptions& options = {});

 private:
  struct State;
  explicit Runner(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cambium::measure

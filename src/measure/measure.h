// Runs native code in a separate process, cambium-runner, and returns its outputs or its time. A
// crash, a hang, a write outside a buffer or a wrong result becomes one Rejection (BadObject,
// SymbolMissing, KernelCrashed, KernelTimeout, KernelMemory, GuardTouched, OutputUntouched,
// WrongResult). Only code whose result was checked gets a time.
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
  double seconds = 10;  // for one call; timing may take this for each of its calls
  std::int64_t memory_bytes = std::int64_t{4} << 30;  // code, buffers and workspace
};

// Code, and the case that checks it before its time counts. If constants were packed beforehand,
// the code takes other buffers than the case's program; then the contender has these buffers and
// the arguments. Its outputs are those of the case, in their order.
struct Contender {
  const codegen::ObjectCode& code;
  const Case& test;
  const KernelBuffers* buffers = nullptr;  // nullptr: the buffers and arguments of the case
  std::vector<const program::Array*> arguments = {};
};

// One runner process, reused for many kernels. If it dies, a new one is started. Only one thread at
// a time may use it.
class Runner {
 public:
  // An empty `executable` means the one in the folder of this program. Refuses RunnerMissing and
  // RunnerFailed.
  static Result<Runner> start(const std::string& executable = {}, const Limits& limits = {});
  Runner(Runner&&) noexcept;
  Runner& operator=(Runner&&) noexcept;
  ~Runner();

  // Sets the limit for one call from now on. A search learns how long a call may take.
  void limit_seconds(double seconds);

  // Arguments are inputs and constants in parameter order, as for the interpreter. Returns the
  // outputs. Buffers lie between guard pages, and outputs and workspace are poisoned before the
  // call. With one thread, the kernel gets no cambium_parallel.
  Result<std::vector<program::Array>> run(const codegen::ObjectCode& code,
                                          const KernelBuffers& buffers,
                                          std::span<const program::Array> arguments, int threads);
  // The same with arguments at separate addresses.
  Result<std::vector<program::Array>> run_with(const codegen::ObjectCode& code,
                                               const KernelBuffers& buffers,
                                               std::vector<const program::Array*> arguments,
                                               int threads);

  // Checks the contender, then measures seconds of one call by ranking: they are scaled by the
  // calibration loop to the speed that this Runner saw first, so times of one Runner can be
  // ordered. A single thread is timed by its own clock, which stops while others use the core;
  // several threads by the wall clock.
  Result<Measurement> rank(const Contender& contender, int threads,
                           const RankingOptions& options = {});
  // Checks both, then times them alternately in one process.
  Result<Comparison> compare(const Contender& ours, const Contender& theirs, int threads,
                             const ComparisonOptions& options = {});

 private:
  struct State;
  explicit Runner(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cambium::measure

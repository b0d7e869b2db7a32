// Runs native code in cambium-runner, a process of its own, and gives back what it computed or how
// long it took. A crash, a hang, a write outside a buffer or a wrong result costs one Rejection
// (KernelCrashed, KernelTimeout, KernelMemory, GuardTouched, OutputUntouched, WrongResult). A time
// counts only after the result was checked.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/machine.h"
#include "base/result.h"
#include "codegen/codegen.h"
#include "program/interpret.h"

namespace cambium::measure {

struct Limits {
  double seconds = 10;
  std::int64_t memory_bytes = std::int64_t{4} << 30;
};

// Buffers of a kernel by bytes, in parameter order.
struct KernelBuffers {
  struct Buffer {
    std::string name;
    DType dtype;
    std::int64_t elements;
    bool is_output;
  };
  std::vector<Buffer> buffers;
};
KernelBuffers buffers_of(const program::Program& program);

// One runner process, kept warm over many kernels; a new one is started when it dies.
class Runner {
 public:
  // `executable`: empty looks beside this program. Refuses RunnerMissing.
  static Result<Runner> start(const std::string& executable = {}, const Limits& limits = {});
  Runner(Runner&&) noexcept;
  Runner& operator=(Runner&&) noexcept;
  ~Runner();

  // Arguments are inputs and constants in parameter order, as for the interpreter; gives the
  // outputs. Buffers stand between guard pages, outputs are poisoned before the call.
  Result<std::vector<program::Array>> run(const codegen::ObjectCode& code,
                                          const KernelBuffers& buffers,
                                          std::span<const program::Array> arguments, int threads);

  struct State;
  State& state() { return *state_; }

 private:
  explicit Runner(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cambium::measure

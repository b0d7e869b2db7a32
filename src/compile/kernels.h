// From lowered programs to object code: a schedule each, the constant part split off, code for the
// machine. Each kernel has a context of its own, so several are made at once.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "compile/constant_part.h"

namespace cambium::compile {

struct Kernel {
  codegen::ObjectCode code;
  std::vector<Source> parameters;
  std::string trace;
  bool is_tuned = false;  // by a schedule that was given
  bool is_plain = false;  // loops as lowered: no schedule that is faster was possible
  // Which schedules gave way to this one, and why, or what this one left untiled; empty: nothing.
  std::string fallback;
  // What fills the packed buffers, once per call of the kernel in the model.
  std::unique_ptr<program::Context> cx;          // of the load program
  std::optional<program::Program> load;          // nothing: no packed buffers
  std::optional<codegen::ObjectCode> load_code;  // where the machine runs here
  std::vector<Source> load_parameters;
  std::vector<std::int64_t> packed_bytes;  // one per packed buffer
};

// Where the schedule that is given does not work, the default ones are tried in turn, down to plain
// loops: a model is not refused for a kernel that could be slower. Refuses what verifying and code
// generation refuse of all of them.
Result<Kernel> make_kernel(const program::Program& program, const std::string& symbol,
                           const Options& options);

// Kernel i gets the symbol `prefix` + i.
Result<std::vector<Kernel>> make_kernels(std::span<const program::Program> programs,
                                         const std::string& prefix, const Options& options);

// Fills the packed buffers of a kernel from its constants, which stand at the numbers that
// Kernel::load_parameters names.
class Loader {
 public:
  // Adds the load code of all kernels to a JIT of its own.
  static Result<Loader> create(std::span<const Kernel> kernels);

  Status load(const Kernel& kernel, std::span<const std::span<const std::byte>> constants,
              std::span<std::byte* const> packed);

 private:
  explicit Loader(std::optional<codegen::Jit> jit) : jit_(std::move(jit)) {}
  std::optional<codegen::Jit> jit_;
  AlignedBytes workspace_;
};

}  // namespace cambium::compile

// From lowered programs to object code: chooses a schedule for each and builds its kernel. Each
// kernel has a context of its own, so several are made at once. Refuses what verifying and code
// generation refuse of every schedule.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compile/build_kernel.h"
#include "compile/compile.h"

namespace cambium::compile {

// A program under the schedule that was chosen for it.
struct Scheduled {
  std::unique_ptr<program::Context> cx;  // of the schedule's program and of all made from it
  schedule::Schedule schedule;
  bool is_tuned = false;  // the schedule was given
  bool is_plain = false;  // loops as lowered: no faster schedule was possible
  // Which faster schedules were refused, and why, or which contraction has no tile. Empty if
  // neither.
  std::string fallback = {};
  std::optional<schedule::Default> by_default = {};  // nothing: the schedule was given
};

struct Kernel {
  Scheduled scheduled;
  KernelCode built;
  std::optional<codegen::ObjectCode> load_code;  // where the machine runs here
  std::vector<std::int64_t> packed_bytes;        // one per packed buffer
};

// The only place that chooses the schedule of a kernel: the given schedule, if there is one and it
// can be built; otherwise the first default schedule that can be built. The last resort is plain
// loops. A model is never refused because a kernel is slow.
Result<Kernel> make_kernel(const program::Program& program, const std::string& symbol,
                           const Options& options);

// The schedule that make_kernel tries first. For a build without a code generator, which cannot
// tell whether a schedule can be built.
Result<Scheduled> first_schedule(const program::Program& program, const Options& options);

// The schedule of that default, without making code: compiling the program told which one serves.
Result<Scheduled> scheduled_by(const program::Program& program, const Machine& machine,
                               schedule::Default which);

// Kernel i gets the symbol `prefix` + i.
Result<std::vector<Kernel>> make_kernels(std::span<const program::Program> programs,
                                         const std::string& prefix, const Options& options);

// Fills the packed buffers of a kernel from its constants. ConstantPart::load_parameters gives the
// number of each constant.
class Loader {
 public:
  // Loads the load code of all kernels into this process.
  static Result<Loader> create(std::span<const Kernel> kernels, const Machine& machine);

  Status load(const Kernel& kernel, std::span<const std::span<const std::byte>> constants,
              std::span<std::byte* const> packed);

 private:
  explicit Loader(std::unique_ptr<codegen::LoadedCode> code) : code_(std::move(code)) {}
  std::unique_ptr<codegen::LoadedCode> code_;  // nullptr: no kernel has load code
  AlignedBytes workspace_;
};

}  // namespace cambium::compile

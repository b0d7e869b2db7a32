// Compiles a whole model to one native function: it chooses a schedule for each kernel, plans
// memory that reuses buffers, and packs the weights in the order in which the code reads them.
// Refuses what passes, lowering and code generation refuse, and names the fusion group.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/machine.h"
#include "base/thread_pool.h"
#include "codegen/codegen.h"
#include "compile/aligned_bytes.h"
#include "compile/lowered_model.h"
#include "model/model.h"
#include "model/tensor.h"
#include "schedule/defaults/default_schedule.h"
#include "schedule/trace/schedule.h"

namespace cambium::compile {

// Schedules a lowered program with canonical names (program/canonical.h). Nobody else uses its
// context. The result is Ready (program/verify.h). Returns nothing if the source knows no schedule,
// and a refusal if the known schedule does not fit. `jobs` threads call it at once.
using ScheduleSource = std::function<std::optional<Result<schedule::Schedule>>(
    program::Context&, const program::Program&)>;

struct Options {
  Machine machine = host_machine();
  ScheduleSource schedules;  // empty: the default schedule for all
  int jobs = 1;              // kernels to compile at once
  std::function<void(std::int64_t done, std::int64_t all)> progress;  // counts kernels
};

// The kernel of one fusion group, for reports. Groups with equal programs share a symbol.
struct KernelReport {
  std::string symbol;
  std::vector<std::string> nodes;
  std::string trace;
  codegen::CodeFacts facts;
  std::int64_t macs = 0;
  bool is_tuned = false;  // its schedule was given
  bool is_plain = false;  // loops as lowered
  // Why the kernel may be slow: which faster schedules were refused, or which contraction has no
  // tile. Empty if neither.
  std::string fallback;
  std::optional<schedule::Default> by_default = {};  // which one; nothing: its schedule was given
};

struct CompiledModel {
  std::string name;
  Machine machine;
  std::vector<model::TensorType> inputs, outputs;
  std::vector<std::string> input_names, output_names;
  std::vector<codegen::ObjectCode> objects;  // each kernel once, then the driver
  std::string driver;                        // symbol of the driver
  AlignedBytes weights;                      // packed, as the code reads them
  codegen::Workspace workspace;              // for one call of the driver
  std::int64_t plan_bytes = 0;               // activations, with reuse
  std::int64_t live_bytes = 0;               // the largest sum of activations alive at once
  std::int64_t pair_bytes = 0;               // the largest pair of them: see live_pair.h
  std::vector<KernelReport> kernels;         // in the order of calls
};

Result<CompiledModel> compile(const LoweredModel& lowered, const Options& options = {});
// The same, with all passes.
Result<CompiledModel> compile(const model::Model& model, const Options& options = {});

// A compiled model, loaded into this process.
class NativeModel {
 public:
  // Refuses Unavailable if this machine cannot execute the code.
  static Result<NativeModel> load(CompiledModel model);
  NativeModel(NativeModel&&) noexcept;
  NativeModel& operator=(NativeModel&&) noexcept;
  ~NativeModel();

  const CompiledModel& compiled() const;
  // Refuses WrongInputCount and ShapeMismatch. Only one thread at a time may call it.
  Result<std::vector<model::Tensor>> run(std::span<const model::Tensor> inputs, ThreadPool& pool);

 private:
  struct State;
  explicit NativeModel(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Writes NAME.so, NAME.h, NAME.weights and manifest.json into a folder, where NAME is c_name of the
// model. Refuses Unwritable and what linking refuses.
Status write_library(const CompiledModel& model, const std::string& folder);

// The name of a model as a C identifier: "tiny-resnet" becomes tiny_resnet.
std::string c_name(std::string_view model_name);

}  // namespace cambium::compile

// A whole model as one callable native function: passes, fusion groups, a schedule per group,
// layouts, a memory plan that reuses buffers, weights in the order in which the code reads them.
// Refuses what passes, lowering, given schedules and code generation refuse, with the group.
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
#include "model/model.h"
#include "model/tensor.h"
#include "schedule/schedule.h"

namespace cambium::compile {

// Finds a schedule for a lowered program, which it is shown under the names of program/canonical.h
// and whose trace speaks of those; answers nothing where it knows none. With several jobs it is
// called from several threads at once.
using ScheduleSource = std::function<std::optional<schedule::Trace>(const program::Program&)>;

struct Options {
  Machine machine = host_machine();
  std::vector<std::string> off;  // passes of lower/passes.h that are left out
  ScheduleSource schedules;      // empty: the default schedule for all
  int jobs = 1;                  // kernels compiled at once
  std::function<void(std::int64_t done, std::int64_t all)> progress;  // kernels
};

// What was made of one fusion group, for reports. Groups with equal programs share a symbol.
struct KernelReport {
  std::string symbol;
  std::vector<std::string> nodes;
  std::string trace;
  codegen::CodeFacts facts;
  std::int64_t macs = 0;
  bool is_tuned = false;  // by a schedule that was given
  bool is_plain = false;  // loops as lowered
  // Which schedules gave way to a worse one, and why, or what this one left untiled; empty:
  // nothing.
  std::string fallback;
};

struct CompiledModel {
  std::string name;
  Machine machine;
  std::vector<model::TensorType> inputs, outputs;
  std::vector<std::string> input_names, output_names;
  std::vector<codegen::ObjectCode> objects;  // kernels, each once, then the driver
  std::string driver;                        // its symbol
  AlignedBytes weights;                      // packed, as the code reads them
  codegen::Workspace workspace;              // of the driver
  std::int64_t plan_bytes = 0;               // activations, with reuse
  std::int64_t live_bytes = 0;               // the largest sum of activations alive at once
  std::vector<KernelReport> kernels;         // in the order of the calls
};

Result<CompiledModel> compile(const model::Model& model, const Options& options = {});

// The compiled model in this process.
class NativeModel {
 public:
  // Refuses Unavailable for code of a machine that this one is not.
  static Result<NativeModel> load(CompiledModel model);
  NativeModel(NativeModel&&) noexcept;
  NativeModel& operator=(NativeModel&&) noexcept;
  ~NativeModel();

  const CompiledModel& compiled() const;
  // Refuses WrongInputCount and ShapeMismatch. Not for two threads at a time.
  Result<std::vector<model::Tensor>> run(std::span<const model::Tensor> inputs, ThreadPool& pool);

 private:
  struct State;
  explicit NativeModel(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Writes NAME.so, NAME.h, NAME.weights and manifest.json into a folder, where NAME is the name of
// the model as C writes it. Refuses Unwritable and what linking refuses.
Status write_library(const CompiledModel& model, const std::string& folder);

// The name of a model as C writes it: "tiny-resnet" is tiny_resnet.
std::string c_name(std::string_view model_name);

}  // namespace cambium::compile

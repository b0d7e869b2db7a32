// Compiles a model to native code, writes it as a library, and reports its footprint. Refuses what
// compiling refuses, and a model that does not fit memory. Called by `cambium compile`, and by
// everything that runs native code.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "compile/compile.h"
#include "model/model.h"

namespace cambium::engine {

using Progress = std::function<void(std::int64_t done, std::int64_t total)>;

struct NativeOptions {
  std::string machine = "host";
  std::vector<std::string> off;  // names of passes to leave out
  int jobs = 1;                  // kernels compiled at once
  Progress progress;             // kernels
  std::string db = {};           // database of tuned schedules; empty: default schedules
  int threads = 1;  // number of threads that it will run on; schedules are tuned for a number
};

// The names that `off` may contain, in the order in which the passes run.
std::vector<std::string> pass_names();

// Refuses UnknownPass and NotEnoughMemory before any work.
Result<compile::LoweredModel> lower_model(const model::Model& model,
                                          const std::vector<std::string>& off);
// Also refuses UnknownMachine before any work.
Result<compile::CompiledModel> compile_model(const model::Model& model,
                                             const NativeOptions& options);
// The same for a model that is already lowered; ignores `off`.
Result<compile::CompiledModel> compile_lowered(const compile::LoweredModel& lowered,
                                               const NativeOptions& options);

// The memory that running takes, and the least that it could take.
struct Footprint {
  std::int64_t weight_bytes = 0;     // as the code reads them
  std::int64_t workspace_bytes = 0;  // activations and the workspace of kernels, for one worker
  std::int64_t plan_bytes = 0;       // activations with reuse; part of the workspace
  std::int64_t live_bytes = 0;       // the largest sum of activations alive at once
  std::int64_t model_bytes = 0;      // weights as the model has them
  std::int64_t pair_bytes = 0;       // the largest pair of activations alive at once

  double ratio() const {
    return static_cast<double>(weight_bytes + workspace_bytes) /
           static_cast<double>(model_bytes + pair_bytes);
  }
};
Footprint footprint_of(const model::Model& model, const compile::CompiledModel& compiled);

struct CompileReport {
  std::string model, machine, folder;
  std::vector<std::string> files;
  double seconds = 0;
  std::int64_t calls = 0, kernels = 0, tuned = 0, code_bytes = 0;
  double median_kernel_seconds = 0;
  Footprint footprint;
  std::vector<compile::KernelReport> slowest;         // the slowest to compile, each kernel once
  std::vector<compile::KernelReport> slower;          // kernels with a fallback
  std::vector<compile::KernelReport> calls_in_order;  // each with its kernel
  std::int64_t plain_loops = 0;                       // kernels whose every schedule was refused
};
// Creates the folder first, so nobody waits for a compilation whose result cannot be written.
Result<CompileReport> compile_library(const model::Model& model, const NativeOptions& options,
                                      const std::string& folder);
nlohmann::json to_json(const CompileReport& report);

}  // namespace cambium::engine

// A model as native code: compiled for a machine, written as a library, and what it takes. Refuses
// what compiling refuses, and a model that does not fit memory. Called by `cambium compile`, and by
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
  std::vector<std::string> off;  // passes that are left out
  int jobs = 1;                  // kernels compiled at once
  Progress progress;             // kernels
  std::string db = {};           // of tuned schedules; empty: the default ones
  int threads = 1;               // that it will run on: what schedules were tuned for
};

// What `off` may name, in the order in which they run.
std::vector<std::string> pass_names();

// Refuses UnknownMachine and UnknownPass before any work.
Result<compile::CompiledModel> compile_model(const model::Model& model,
                                             const NativeOptions& options);

// What running takes, against what cannot be avoided.
struct Footprint {
  std::int64_t weight_bytes = 0;     // as the code reads them
  std::int64_t workspace_bytes = 0;  // activations and what kernels want, for one worker
  std::int64_t plan_bytes = 0;       // activations with reuse: a part of the workspace
  std::int64_t live_bytes = 0;       // the largest sum of activations alive at once
  std::int64_t model_bytes = 0;      // weights as the model has them
  std::int64_t pair_bytes = 0;       // the largest pair of activations alive at once

  double ratio() const {
    return static_cast<double>(weight_bytes + workspace_bytes) /
           static_cast<double>(model_bytes + pair_bytes);
  }
};
Footprint footprint_of(const model::Model& model, const compile::CompiledModel& compiled,
                       const std::vector<std::string>& off);

// Two values that stand between fusion groups and are alive at the same time, the largest such pair
// in bytes. The caller's inputs and outputs are not among them.
std::int64_t largest_live_pair(const model::Model& prepared);

struct CompileReport {
  std::string model, machine, folder;
  std::vector<std::string> files;
  double seconds = 0;
  std::int64_t calls = 0, kernels = 0, tuned = 0, code_bytes = 0;
  double median_kernel_seconds = 0;
  Footprint footprint;
  std::vector<compile::KernelReport> slowest;  // to compile, each kernel once
  std::vector<compile::KernelReport> slower;   // kernels with a fallback
  std::int64_t plain_loops = 0;                // kernels whose every schedule was refused
};
// Makes the folder first: nobody waits for a compilation whose result cannot be written.
Result<CompileReport> compile_library(const model::Model& model, const NativeOptions& options,
                                      const std::string& folder);
nlohmann::json to_json(const CompileReport& report);

}  // namespace cambium::engine

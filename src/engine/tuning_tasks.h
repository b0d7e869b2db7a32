// What there is to tune in a model: its distinct lowered programs, under canonical names, each with
// how often the model calls it. The same programs that compiling asks the database for. Refuses
// what lowering refuses, and NothingToTune. Called by tune.h and benchmarks.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "lower/layout.h"
#include "model/model.h"
#include "tune/task.h"

namespace cambium::engine {

struct TuningTask {
  tune::Task task;
  double flops = 0;  // of one call: two per multiplication that is summed, or all operations
  std::vector<std::string> nodes;  // of the first call
  model::Model model;              // those nodes by themselves: what a vendor library is asked for
};

// All nodes that compute something.
std::vector<model::NodeId> operators_of(const model::Model& model);

// `off`: passes that are left out.
Result<std::vector<TuningTask>> tasks_of(const model::Model& model,
                                         const std::vector<std::string>& off, int threads);
// All operators of a small model as one program, without passes: an operator or a benchmark's
// workload.
Result<TuningTask> task_of(const model::Model& model, const lower::Layouts& layouts, int threads);

}  // namespace cambium::engine

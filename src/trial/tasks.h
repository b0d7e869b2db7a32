// The tuning tasks of a model: its distinct lowered programs under canonical names, each with how
// often the model calls it. Compiling looks for the same programs in the database. Refuses what
// lowering refuses, and NothingToTune.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "compile/lowered_model.h"
#include "lower/layout.h"
#include "model/model.h"
#include "tune/task.h"

namespace cambium::trial {

struct TuningTask {
  tune::Task task;
  double flops = 0;  // of one call: two per multiplication that is summed, or all operations
  std::vector<std::string> nodes;  // of the first call
  model::Model model;              // these nodes alone, for vendor libraries
};

// All nodes that compute something.
std::vector<model::NodeId> operators_of(const model::Model& model);

Result<std::vector<TuningTask>> tasks_of(const compile::LoweredModel& lowered, int threads);
// All operators of a small model as one program, without passes. For a single operator or the
// workload of a benchmark.
Result<TuningTask> task_of(const model::Model& model, const lower::Layouts& layouts, int threads);

}  // namespace cambium::trial

// The command `evaluate` of cambium and cambium-train. Both answer jobs as JSON lines; they differ
// in the evaluators they have.
#pragma once

#include <functional>
#include <string>

#include "cli/commands.h"
#include "engine/search/worker.h"

namespace cambium::cli {

// The worker of `cambium`: it measures latencies itself and passes trainings to cambium-train.
engine::Worker make_worker(const std::string& scratch);

// Makes the worker that answers jobs. Files that results name are written to `scratch`.
using MakeWorker = std::function<engine::Worker(const std::string& scratch)>;
void add_evaluate_with(CLI::App& app, Action& action, MakeWorker make);

}  // namespace cambium::cli

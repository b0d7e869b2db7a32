// The command `evaluate` of the programs that have it: both answer jobs as JSON lines and differ in
// the evaluators that they have.
#pragma once

#include <functional>
#include <string>

#include "cli/commands.h"
#include "engine/search/worker.h"

namespace cambium::cli {

// Of `cambium`: measures here, and has cambium-train do what needs libtorch.
engine::Worker make_worker(const std::string& scratch);

// Makes the worker that answers; files that results name go to `scratch`.
using MakeWorker = std::function<engine::Worker(const std::string& scratch)>;
void add_evaluate_with(CLI::App& app, Action& action, MakeWorker make);

}  // namespace cambium::cli

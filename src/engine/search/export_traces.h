// Exports the complete traces of the nests that the loop-nest space rewrote: first the neural half,
// which is the document, then the loop half, tuned or default, which makes the kernel. A trace
// replays from the program of the original's convolution, which is written beside it. Refuses what
// lowering and scheduling refuse. Called by `cambium export`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "compile/compile.h"
#include "engine/native.h"
#include "model/model.h"

namespace cambium::engine {

struct ExportedTrace {
  std::string stem;  // FOLDER/stem.trace and FOLDER/stem.program
  std::string node;  // the rewritten site
};

// One for each rewritten site, in the order of the model. A model without any gets no folder.
// `compiled`: the kernels of the model's calls, as compiling it with the same options reported
// them. Without any, their schedules are found by compiling the rewritten kernels here.
Result<std::vector<ExportedTrace>> export_traces(
    const model::Model& model, const NativeOptions& options, const std::string& folder,
    std::span<const compile::KernelReport> compiled = {});

}  // namespace cambium::engine

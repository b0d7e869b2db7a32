// The operators of a rewritten model, each alone as PyTorch source with its weights, for use in
// other networks. Refuses what model/pytorch refuses. Called by `cambium export`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/model.h"

namespace cambium::engine {

struct ExportedOperator {
  std::string stem;                 // FOLDER/stem.py and FOLDER/stem.safetensors
  std::vector<std::string> places;  // nodes of the model; the weights are those of the first
};

// One for each operator and size, named after its first place, in the order of the model. A model
// without composites has none, and gets no folder.
Result<std::vector<ExportedOperator>> export_operators(const model::Model& model,
                                                       const std::string& folder);

}  // namespace cambium::engine

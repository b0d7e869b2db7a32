// The operators of a rewritten model, each alone as PyTorch source with its weights: a module that
// can be taken into another network. Refuses what model/pytorch refuses. Called by `cambium
// export`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/model.h"

namespace cambium::engine {

struct ExportedOperator {
  std::string stem;  // FOLDER/stem.py and FOLDER/stem.safetensors
  std::vector<std::string>
      places;  // nodes of the model that compute so; the weights are the first's
};

// One for each way to compute (the same operator at other sizes is another), named after its first
// place, in the order of the model; none for a model without composites, and then no folder.
Result<std::vector<ExportedOperator>> export_operators(const model::Model& model,
                                                       const std::string& folder);

}  // namespace cambium::engine

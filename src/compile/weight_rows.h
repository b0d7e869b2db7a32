// The output channels of the weights of a rewritten nest, read from the program that its recipe
// makes of the convolution. So a batch norm behind the nest can be folded into them
// (lower/passes.h).
#pragma once

#include <optional>

#include "lower/passes.h"
#include "model/model.h"

namespace cambium::compile {

// Nothing where a row makes several channels, and where the recipe is refused: lowering says why.
std::optional<lower::WeightRows> weight_rows(const model::Model& model, model::NodeId nest);

}  // namespace cambium::compile

// Finds the output channels of the weights of a rewritten nest. They are read from the program that
// the recipe makes of the convolution. A batch norm after the nest can then be folded into the
// weights (lower/passes.h).
#pragma once

#include <optional>

#include "lower/passes.h"
#include "model/model.h"

namespace cambium::compile {

// Nothing if a row makes several channels, or if the recipe is refused (lowering then says why).
std::optional<lower::WeightRows> weight_rows(const model::Model& model, model::NodeId nest);

}  // namespace cambium::compile

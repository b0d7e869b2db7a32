// Recognition: what a synthesizer wrote as pads, slices, gathers, reshapes, transposes, einsums,
// products and sums becomes the convolution, matrix product, pooling or shift that it is.
// Shared by training, export and lowering. Computes the same up to rounding; the interface keeps
// its names; what is not known stays as it is; refuses nothing. docs/recognition.md has the table.
#pragma once

#include <string>
#include <vector>

#include "model/model.h"

namespace cambium::model {

struct Recognized {
  Model model;
  std::vector<std::string> found;  // "node: conv 3x3", in the model's order
};

Recognized recognize(const Model& model);

}  // namespace cambium::model

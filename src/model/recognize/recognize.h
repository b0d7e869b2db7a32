// Recognition: what a synthesizer wrote as pads, slices, gathers, reshapes, transposes, einsums,
// products and sums becomes the convolution, matrix product, pooling or shift that it is.
// Shared by training, export and lowering. Computes the same up to rounding; the interface keeps
// its names; what is not known stays as it is; refuses nothing. docs/recognition.md has the table.
#pragma once

#include <string>
#include <vector>

#include "model/composite.h"

namespace cambium::model {

struct Recognized {
  Model model;                     // weights are the same nodes as before, rearranged by others
  std::vector<std::string> found;  // "node: conv 3x3", in the model's order
  Moved moved;                     // values that are computed in another way, and by what
};

Recognized recognize(const Model& model);

// A model without Composites: each is expanded, and what it is made of recognized. The rest of the
// model stays as it is, whatever it looks like: this is how a model leaves as ONNX.
Recognized recognize_composites(const Model& model);

}  // namespace cambium::model

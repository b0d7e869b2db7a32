// Recognition: turns pads, slices, gathers, reshapes, transposes, einsums, products and sums, as a
// synthesizer writes them, into convolutions, matrix products, poolings and shifts. Training,
// export and lowering share it. The result computes the same up to rounding, and the interface
// keeps its names. Unknown patterns stay. Refuses nothing. docs/recognition.md has the table.
#pragma once

#include <string>
#include <vector>

#include "model/composite.h"

namespace cambium::model {

struct Recognized {
  Model model;                     // weights are the same nodes as before; new nodes rearrange them
  std::vector<std::string> found;  // "node: conv 3x3", in the model's order
  Moved moved;                     // replaced values, and their replacements
};

Recognized recognize(const Model& model);

// The model without Composites: each is expanded and its decomposition recognized. The rest of the
// model stays. ONNX export uses this form.
Recognized recognize_composites(const Model& model);

}  // namespace cambium::model

// Fingerprints of a Model by content: operators, attributes, types, wiring, and the order of inputs
// and outputs. Names, node ids, blocks and the stored topological order do not matter. Takes linear
// time in the size of the graph (and of the elements it reads).
#pragma once

#include "base/fingerprint.h"
#include "model/model.h"

namespace cambium::model {

// Whether a tensor determines what a model computes rather than what it has learned: integers,
// bools and floating-point scalars (epsilons, scales).
bool is_constant(const TensorType& type);

// The architecture: weights count by type, constants by value.
Fingerprint structure_of(const Model& model);

// The network itself: weights count by value too. Fills lazy weights.
Fingerprint content_of(const Model& model);

}  // namespace cambium::model

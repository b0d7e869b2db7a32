// Names a Model by what it is: operators, attributes, types, wiring, and the order of its inputs
// and outputs. Names, node ids, blocks and the topological order it happens to be stored in do not
// count. Linear in the size of the graph (and of the values it looks at).
#pragma once

#include "base/fingerprint.h"
#include "model/model.h"

namespace cambium::model {

// True for tensors that determine what a model computes rather than what it has learned: integers,
// bools and single floats (epsilons, scales).
bool is_constant(const TensorType& type);

// The architecture: weights count by their type, constants by value.
Fingerprint structure_of(const Model& model);

// The network itself: weights count by value too. Fills lazy ones.
Fingerprint content_of(const Model& model);

}  // namespace cambium::model

// Shape and type inference: the output types of one operator from its input types. Refuses inputs
// for which the operator is not defined, so every existing Model is valid.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "model/op.h"

namespace cambium::model {

Result<std::vector<TensorType>> infer(const Op& op, std::span<const TensorType> inputs);

// Broadcasting as in numpy: dimensions align at the end, and 1 stretches.
Result<Ints> broadcast(const Ints& a, const Ints& b);

}  // namespace cambium::model

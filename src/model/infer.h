// Shape and type inference: from the types of the inputs to the types of the outputs of one
// operator. It refuses whatever the operator is not defined for, so a Model that exists is sound.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "model/op.h"

namespace cambium::model {

Result<std::vector<TensorType>> infer(const Op& op, std::span<const TensorType> inputs);

// As numpy broadcasts: aligned at the end, 1 stretches.
Result<Ints> broadcast(const Ints& a, const Ints& b);

}  // namespace cambium::model

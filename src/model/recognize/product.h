// One step of a contraction: two operands become one, by a convolution or a matrix product.
#pragma once

#include <optional>

#include "model/recognize/emitter.h"

namespace cambium::model::recognition {

// Sums what no other operand of the nest reads. The loops that the step makes are added to the
// nest. Nothing if the two operands are neither; what was added to the builder then is not read.
std::optional<Access> contract(Emitter& emit, Nest& nest, std::size_t left, std::size_t right);

}  // namespace cambium::model::recognition

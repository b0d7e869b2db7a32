// One step of a contraction: combines two operands into one by a convolution or a matrix product.
#pragma once

#include <optional>

#include "model/recognize/emitter.h"

namespace cambium::model::recognition {

// Sums the loops that no other operand of the nest reads, and adds new loops of the step to the
// nest. Returns nothing if the two operands are neither a convolution nor a product; nodes added to
// the builder then have no readers.
std::optional<Access> contract(Emitter& emit, Nest& nest, std::size_t left, std::size_t right);

}  // namespace cambium::model::recognition

// The neutral value of a reduction, which pads data and starts partial results.
#pragma once

#include "program/context.h"

namespace cambium::schedule {

// Not of Combine::Assign.
program::Scalar identity_of(program::Context& cx, program::Combine combine, DType type);
// The number 0.
program::Scalar zero_of(program::Context& cx, DType type);

}  // namespace cambium::schedule

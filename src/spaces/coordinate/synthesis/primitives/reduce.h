// REDUCE(N). Up: a new coordinate that is summed over. Down: an axis is summed. All of an operator
// come before its other primitives, in the order of their sizes.
#pragma once

#include "spaces/coordinate/synthesis/primitives/primitive.h"

namespace cambium::spaces::coordinate::synthesis {

extern const Primitive kReduce;

}  // namespace cambium::spaces::coordinate::synthesis

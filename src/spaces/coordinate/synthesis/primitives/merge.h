// MERGE(B). Up: one coordinate becomes two, [i] -> [i / B, i % B]. Down: two axes are flattened.
// Refuses a block that does not divide the domain at every binding.
#pragma once

#include "spaces/coordinate/synthesis/primitives/primitive.h"

namespace cambium::spaces::coordinate::synthesis {

extern const Primitive kMerge;

}  // namespace cambium::spaces::coordinate::synthesis

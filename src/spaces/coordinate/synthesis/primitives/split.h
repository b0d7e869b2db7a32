// SPLIT. Up: two coordinates become one, [i, j] -> [B*i + j]. Down: an axis is cut into blocks of
// B. Refuses a product that is no legal size.
#pragma once

#include "spaces/coordinate/synthesis/primitives/primitive.h"

namespace cambium::spaces::coordinate::synthesis {

extern const Primitive kSplit;

}  // namespace cambium::spaces::coordinate::synthesis

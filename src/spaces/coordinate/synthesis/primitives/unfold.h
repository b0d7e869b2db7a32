// UNFOLD. Up: base and window become one, [i, j] -> [i + j - K/2], zero outside. Down: windows of K
// are taken along an axis. Refuses windows that are even, large, or not small against the base.
#pragma once

#include "spaces/coordinate/synthesis/primitives/primitive.h"

namespace cambium::spaces::coordinate::synthesis {

extern const Primitive kUnfold;

}  // namespace cambium::spaces::coordinate::synthesis

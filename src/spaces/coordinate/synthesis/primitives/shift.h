// SHIFT. Up: [i] -> [(i + 1) % N]. Down: an axis is rolled by one.
#pragma once

#include "spaces/coordinate/synthesis/primitives/primitive.h"

namespace cambium::spaces::coordinate::synthesis {

extern const Primitive kShift;

}  // namespace cambium::spaces::coordinate::synthesis

// SHARE. Up: a weight reads the same coordinate as the data. Down: multiplied elementwise along an
// axis. Only as a part of a CONTRACTION.
#pragma once

#include "spaces/coordinate/synthesis/primitives/primitive.h"

namespace cambium::spaces::coordinate::synthesis {

extern const Primitive kShare;

}  // namespace cambium::spaces::coordinate::synthesis

// EXPAND. Up: a coordinate is read by nothing. Down: the data are repeated along a new axis. The
// coordinates that only weights read are no EXPANDs of their own: their CONTRACTION counts. Refuses
// all but outputs and halves of MERGEs: what else nobody reads need not have been made.
#pragma once

#include "spaces/coordinate/synthesis/primitives/primitive.h"

namespace cambium::spaces::coordinate::synthesis {

extern const Primitive kExpand;

}  // namespace cambium::spaces::coordinate::synthesis

// EXPAND. Up: a coordinate is read by nothing. Down: the data are repeated along a new axis. The
// coordinates that only weights read are no EXPANDs of their own: their CONTRACTION counts. Refuses
// all but outputs and halves of MERGEs: what else nobody reads need not have been made. Refuses the
// second half of what an UNFOLD is part of, since nothing would be read of that (check.h).
#pragma once

#include "spaces/coordinate/synthesis/primitives/primitive.h"

namespace cambium::spaces::coordinate::synthesis {

extern const Primitive kExpand;

// Whether a coordinate is a half of a MERGE whose other half was expanded.
bool is_last_half(const Space& space, const State& state, CoordId c);

}  // namespace cambium::spaces::coordinate::synthesis

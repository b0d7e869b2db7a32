// EXPAND. Up: nothing reads a coordinate. Down: the data is repeated along a new axis. Coordinates
// that only weights read are not EXPANDs of their own; their CONTRACTION counts. Only outputs and
// halves of MERGEs are offered, because any other unread coordinate need not have been made. The
// second half of a coordinate that contains an UNFOLD is not offered either, because nothing would
// read that UNFOLD (check.h).
#pragma once

#include "spaces/coordinate/synthesis/primitives/primitive.h"

namespace cambium::spaces::coordinate::synthesis {

// Whether a coordinate is a half of a MERGE whose other half is already expanded.
bool is_last_half(const Space& space, const State& state, CoordId c);

}  // namespace cambium::spaces::coordinate::synthesis

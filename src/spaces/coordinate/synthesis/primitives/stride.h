// STRIDE(S). Up: [i] -> [S*i]. Down: every S-th element of an axis. It skips data, so only an
// UNFOLD may use its result: as a window (dilation), or as a base whose window covers the gaps.
#pragma once

#include "spaces/coordinate/synthesis/primitives/primitive.h"

namespace cambium::spaces::coordinate::synthesis {

// Whether a size can be a step. Steps hold coefficients only, because a primary variable would skip
// nearly all of the data.
bool is_step(const Space& space, SizeId size);

}  // namespace cambium::spaces::coordinate::synthesis

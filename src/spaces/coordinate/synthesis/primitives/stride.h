// STRIDE(S). Up: [i] -> [S*i]. Down: every S-th element of an axis. What it reads is not all of the
// data, so its result may only be used by an UNFOLD: as a window (dilation), or as a base whose
// window reaches over the gaps.
#pragma once

#include "spaces/coordinate/synthesis/primitives/primitive.h"

namespace cambium::spaces::coordinate::synthesis {

extern const Primitive kStride;
// Steps are pure coefficients: a primary variable would skip nearly all of the data.
bool is_step(const Space& space, SizeId size);

}  // namespace cambium::spaces::coordinate::synthesis

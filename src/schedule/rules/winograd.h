// Winograd's algorithm for 3x3 convolutions of stride 1: whether, and with which tiles, is a
// decision of structure. Transforms are scheduled here: tile by tile, channels in vectors,
// positions unrolled, what stands between the two halves of a transform in registers. The products
// are a contraction like any other, batched over positions, and are left to the rules that tile
// those.
#pragma once

#include "schedule/draft.h"

namespace cambium::schedule {

// Refuses NothingToDo where the block is no such convolution.
Status use_winograd(Draft& draft, const std::string& block);

}  // namespace cambium::schedule

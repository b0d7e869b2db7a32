// Winograd's algorithm for 3x3 convolutions of stride 1. Whether to use it, and with which tiles,
// is a structural decision. The rule schedules the transforms: tile by tile, channels in vectors,
// positions unrolled, and the data between the two halves of a transform in registers. The products
// form a contraction, batched over positions, which the tiling rules schedule.
#pragma once

#include "schedule/trace/draft.h"

namespace cambium::schedule {

// Refuses NothingToDo if the block is not such a convolution.
Status use_winograd(Draft& draft, const std::string& block);

}  // namespace cambium::schedule

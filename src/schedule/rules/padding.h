// padding: decides how to treat a block that pads data with constants, if no other block has
// absorbed it: leave it with its conditions (preferred), split it into a fill and a copy without
// conditions, or copy under a loop of its only reader, so that the data stays in a near cache.
#pragma once

#include "schedule/trace/draft.h"

namespace cambium::schedule {

// Refuses NothingToDo if the block is not padding, or is already tiled.
Status place_padding(Draft& draft, const std::string& block);

}  // namespace cambium::schedule

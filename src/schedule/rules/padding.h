// padding: what to do about a block that puts constants around data, where nothing has taken it in:
// copied with its conditions as it stands, as a fill and a copy without conditions, or copied where
// it is read, under a loop of its one reader, so that what is read stays in a near cache. Which, is
// a decision; as it stands is preferred.
#pragma once

#include "schedule/draft.h"

namespace cambium::schedule {

// Refuses NothingToDo where the block is no padding, or is tiled already.
Status place_padding(Draft& draft, const std::string& block);

}  // namespace cambium::schedule

// random-compute-location: decides where to compute a block that no other rule has tiled: in its
// place ("root"), under a loop of its readers, or, if it is elementwise, where it is read
// ("inline"). It offers the loops around all readers, except loops of extent 1, spatial loops
// within a reduction, and loops of a reduction that contain no spatial loop. Blocks computed only
// from constants stay, because they run at load. Refuses NothingToDo, and everything that ComputeAt
// and Inline refuse.
#pragma once

#include "schedule/rules/rule.h"

namespace cambium::schedule {

Rule random_compute_location_rule();

}  // namespace cambium::schedule

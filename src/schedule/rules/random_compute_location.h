// random-compute-location: where a block that no other rule has tiled is computed: where it stands
// ("root"), under a loop of what reads it, or, elementwise, where it is read ("inline"). Which, is
// a decision. The loops offered are those around all readers, without those of extent 1, spatial
// loops within a reduction, and loops of a reduction that hold no spatial one. Blocks that are
// computed from constants alone stay: that is done at load. Refuses NothingToDo, and what ComputeAt
// and Inline refuse.
#pragma once

#include "schedule/rules/rule.h"

namespace cambium::schedule {

Rule random_compute_location_rule();

}  // namespace cambium::schedule

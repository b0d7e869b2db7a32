// Shrinking: a local that lives in one iteration of a loop needs room only for the elements used in
// that iteration. ComputeAt and ReverseComputeAt call this after they have moved a block.
#pragma once

#include "schedule/steps/applied.h"

namespace cambium::schedule {

// The program with `buffer`, a local, as small as one iteration of its home (home_of) allows: a
// dimension in which iterations use boxes that lie `m` apart is indexed modulo m, so that inside
// the tile the index is that of the inner loops alone (after simplification over the loops). Where
// boxes overlap from one iteration to the next, the dimension wraps around at the length of the
// box, except the last one, which keeps its length because vectors run along it.
Program shrink(Context& cx, const Program& program, const program::Buffer* buffer);

}  // namespace cambium::schedule

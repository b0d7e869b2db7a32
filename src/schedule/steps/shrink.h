// Shrinking: a local that lives in one iteration of a loop needs room only for the elements used in
// that iteration. ComputeAt and ReverseComputeAt call this after they have moved a block.
#pragma once

#include "schedule/steps/applied.h"

namespace cambium::schedule {

// Makes the local `buffer` as small as one iteration of its home (home_of) allows. If the boxes of
// successive iterations lie `m` apart in a dimension, the dimension is indexed modulo m; after
// simplification, the index depends on the inner loops only. If boxes of successive iterations
// overlap, the dimension wraps around at the length of the box. The last dimension then keeps its
// length, because vectors run along it.
Program shrink(Context& cx, const Program& program, const program::Buffer* buffer);

}  // namespace cambium::schedule

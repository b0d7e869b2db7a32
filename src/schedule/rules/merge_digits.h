// merge-digits: merges iterators that are digits of one dimension of the result, as in 32*g + oc,
// into one iterator over that dimension. Tiles of the result are then boxes of any size, as a write
// cache needs. MetaSchedule writes grouped and transposed convolutions this way from the start.
// Refuses NothingToDo, and everything that MergeIterators refuses.
#pragma once

#include "schedule/rules/rule.h"

namespace cambium::schedule {

Rule merge_digits_rule();

}  // namespace cambium::schedule

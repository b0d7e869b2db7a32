// merge-digits: iterators that are digits of one dimension of the result, 32*g + oc, become one
// iterator over that dimension. Tiles of the result are then boxes, whatever their size, which a
// write cache needs: as MetaSchedule writes grouped and transposed convolutions to begin with.
// Refuses NothingToDo, and what MergeIterators refuses.
#pragma once

#include "schedule/rules/rule.h"

namespace cambium::schedule {

Rule merge_digits_rule();

}  // namespace cambium::schedule

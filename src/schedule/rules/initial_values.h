// The last step of every schedule: the initial values of reductions become separate blocks, as code
// generation requires. Used by default schedules and by rules/space.h.
#pragma once

#include "schedule/trace/schedule.h"

namespace cambium::schedule {

// The names of the blocks, in the order in which they run.
Names blocks_of(const Program& program);

// Before the outermost loop that takes part in each reduction. Refuses what DecomposeReduction
// refuses.
Status decompose_all(Schedule& schedule);

}  // namespace cambium::schedule

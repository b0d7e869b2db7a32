// The last thing done to every schedule: the initial values of reductions become blocks of their
// own, which is what code generation takes. Called by default schedules and by rules/space.h.
#pragma once

#include "schedule/schedule.h"

namespace cambium::schedule {

// The names of the blocks, in the order in which they run.
Names blocks_of(const Program& program);

// Before the outermost loop that takes part in each reduction. Refuses what DecomposeReduction
// refuses.
Status decompose_all(Schedule& schedule);

}  // namespace cambium::schedule

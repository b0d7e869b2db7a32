// Random steps for property tests. Names and numbers come from the program, so that many steps fit
// and many just fail to. The same generator state gives the same step.
#pragma once

#include "base/random.h"
#include "schedule/trace/steps.h"

namespace cambium::schedule {

// One of the preserving steps, each kind as likely as the others.
Step random_step(const Program& program, Rng& rng);

}  // namespace cambium::schedule

// Random steps for property tests: names and numbers are taken from the program, so that many of
// them fit and many just do not. The same generator state gives the same step.
#pragma once

#include "base/random.h"
#include "schedule/steps.h"

namespace cambium::schedule {

// One of the preserving steps, each kind as likely as the others.
Step random_step(const Program& program, Rng& rng);

}  // namespace cambium::schedule

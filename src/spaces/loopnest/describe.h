// Describes an edit of the loop-nest space for people: its name in the catalogue, the sums and the
// loops of its first site.
#pragma once

#include "spaces/loopnest/plan.h"
#include "spaces/space.h"

namespace cambium::spaces::loopnest {

Description description_of(const Plan& plan);

}  // namespace cambium::spaces::loopnest

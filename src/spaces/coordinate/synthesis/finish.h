// From the anatomy of a state and a choice of weights to the Operator.
#pragma once

#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/synthesis/anatomy.h"

namespace cambium::spaces::coordinate::synthesis {

Operator finish(const Space& space, const Anatomy& anatomy, const Choice& choice);

}  // namespace cambium::spaces::coordinate::synthesis

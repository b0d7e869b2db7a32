// The canonical form of an operator. Reductions, derived coordinates, weights and the axes of each
// weight get a fixed order, whatever order they were built in. Equations that differ but mean the
// same (MERGE above SPLIT) stay different; the semantic fingerprint recognizes those.
#pragma once

#include "spaces/coordinate/operator.h"

namespace cambium::spaces::coordinate {

// Reductions stand in the order in which the axes of the input reach them. Reductions that only
// weights read come last. canonical(canonical(x)) == canonical(x).
Operator canonical(const Operator& op);

}  // namespace cambium::spaces::coordinate

// One form for all ways to write the same equations: reductions, derived coordinates, weights and
// the axes of each weight in a fixed order, whatever order they were built in. Equations that only
// mean the same (MERGE above SPLIT) stay different: that is for the semantic fingerprint.
#pragma once

#include "spaces/coordinate/operator.h"

namespace cambium::spaces::coordinate {

// Reductions stand in the order in which the axes of the input reach them, those that only weights
// read come last. canonical(canonical(x)) == canonical(x).
Operator canonical(const Operator& op);

}  // namespace cambium::spaces::coordinate

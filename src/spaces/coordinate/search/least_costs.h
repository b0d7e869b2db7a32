// The least cost of a network with an operator at all places of a family, computed from the
// document without building the network. Operators whose data are gathered for every output channel
// make hundreds of times the activations of a convolution of as many MACs, so spaces propose only
// operators within a limit, and searches refuse by these bounds before they build anything.
#pragma once

#include "spaces/coordinate/search/family.h"
#include "spaces/places/surroundings.h"

namespace cambium::spaces::coordinate {

// The bounds never exceed the true cost, so no candidate within its limits is refused. The operator
// is bounded from its stages at all bindings (lowering/least_work.h). Counts of the operator by
// itself then replace these bounds, one binding after another. Parameters and memory are exact but
// for tables of indices in its body. MACs and activations are mostly exact. They are below the true
// cost in two cases. If the network moves elements next to a place, one copy of them is not counted
// (Place::shared). If recognition would mix samples at one place, it leaves all places as written,
// which costs more. Stops once a bound is above its limit; MACs and activations without a limit are
// not counted. Bounds are missing where decomposing refuses. Adds to `counts` how many bindings
// were counted: each takes as long as everything else together, so a test limits their number.
Costs least_costs(const Surroundings& around, const Family& family, const Operator& op,
                  const Costs& limits, int* counts = nullptr);

}  // namespace cambium::spaces::coordinate

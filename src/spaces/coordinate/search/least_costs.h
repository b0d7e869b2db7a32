// What a network costs at least with an operator at all places of a family, told from the document
// without building the network. Operators whose data are gathered for every output channel make
// hundreds of times the activations of a convolution of as many MACs, which is why spaces propose
// only what keeps a limit, and searches refuse by these bounds before they build anything.
#pragma once

#include "spaces/coordinate/search/family.h"
#include "spaces/places/surroundings.h"

namespace cambium::spaces::coordinate {

// Never more than the network costs, so nothing is refused that keeps its limits. The operator is
// bounded from its stages at all bindings (lowering/least_work.h). Counts of the operator by itself
// then replace these bounds, one binding after another. Parameters and memory are exact but for
// tables of indices in its body. MACs and activations are mostly exact; where the network moves
// elements beside a place, one copy of them is not counted (Place::shared), and a network costs
// more where recognition would mix its samples at one place, and so leaves all of them as they are.
// Stops once a bound is above its limit; MACs and activations without a limit are not counted.
// Bounds are missing where decomposing refuses.
Costs least_costs(const Surroundings& around, const Family& family, const Operator& op,
                  const Costs& limits);

}  // namespace cambium::spaces::coordinate

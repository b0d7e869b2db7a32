// What an operator makes a training hold: the bytes of all results of one pass, in the form that
// trainings run (model/recognize/pass.h). Operators whose data are gathered for every output
// channel make hundreds of times as much as a convolution of as many MACs, which is why spaces
// propose only what keeps a limit.
#pragma once

#include "spaces/coordinate/search/family.h"

namespace cambium::spaces::coordinate {

// What a network that makes `base` makes around the places of a family, whatever stands there.
double activations_around(double base, const Family& family);

// At least so many bytes, of a network that makes `base` without the operator and has it at all
// places of a family: never more than the network makes, so that whoever refuses by it refuses
// nothing that keeps the limit. The operator is counted by itself at every binding; where the
// network moves elements beside a place, one copy of them is not counted (Place::shared). Elsewhere
// it is mostly the number itself; a network makes more where recognition would mix its samples at
// one place, and so leaves all of them as they are. Counts no further than to something above
// `enough`. Refuses what decomposing refuses.
Result<double> least_activations(double base, const Family& family, const Operator& op,
                                 double enough);

}  // namespace cambium::spaces::coordinate

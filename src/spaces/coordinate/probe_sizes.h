// The sizes at which the semantic fingerprint compares operators: a few of the problem's own
// bindings. Every legal operator is whole there, so equal operators always meet.
#pragma once

#include <vector>

#include "expr/binding.h"
#include "spaces/coordinate/problem.h"

namespace cambium::spaces::coordinate {

// If sizes agree that differ in other bindings (s^2 and Co/g, both 4), different operators
// coincide. If no sizes agree in the smallest binding, it is the only one. Otherwise these are the
// smallest two bindings at which a thirtieth as many sizes agree together, and then up to two
// bindings that are smaller than the second one, because divisibility differs between bindings even
// if no two sizes agree. An axis that every operator passes through (a batch) has one element.
std::vector<expr::Binding> probe_sizes(const Problem& problem);

}  // namespace cambium::spaces::coordinate

// The sizes at which operators are told apart: a few of the problem's own bindings, at which every
// legal operator is whole, so that equal ones always meet. The semantic fingerprint asks.
#pragma once

#include <vector>

#include "expr/binding.h"
#include "spaces/coordinate/problem.h"

namespace cambium::spaces::coordinate {

// Where sizes that differ in other bindings agree (s^2 and Co/g, both 4), different operators
// coincide. The smallest binding alone if nothing does there; else the smallest two at which a
// thirtieth as much does together, and then up to two that are smaller than the second of these:
// what divides what differs from binding to binding, though no two sizes agree. An axis that every
// operator passes through (a batch) has one element.
std::vector<expr::Binding> probe_sizes(const Problem& problem);

}  // namespace cambium::spaces::coordinate

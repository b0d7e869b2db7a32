// The primitive graph of an operator as Graphviz text, for `dot -Tsvg`: primitives are nodes,
// coordinates with their domains are edges, from the output at the bottom to the input at the top,
// as the paper draws it. Dashed edges are read by weights (SHARE).
#pragma once

#include <string>

#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/problem.h"

namespace cambium::spaces::coordinate {

std::string to_dot(const Problem& problem, const Operator& op);

}  // namespace cambium::spaces::coordinate

// The primitive graph of an operator as Graphviz text, for `dot -Tsvg`. Primitives are nodes, and
// coordinates with their domains are edges, from the output at the bottom to the input at the top,
// as in the paper. Dashed edges lead to weights (SHARE).
#pragma once

#include <string>

#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/problem.h"

namespace cambium::spaces::coordinate {

std::string to_dot(const Problem& problem, const Operator& op);

}  // namespace cambium::spaces::coordinate

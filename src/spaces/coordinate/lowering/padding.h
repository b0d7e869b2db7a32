// Padding of awkward sizes: the least values of the size variables under which every size of an
// operator is a whole number at a place. No variable falls below its value there. Least means the
// fewest elements of input and output together. Only variables of shapes grow. extents_of(op,
// place, padded) then lowers the operator with zeros behind its input and with its output cropped.
// Refuses (SizeNotInteger) sizes that no padding makes whole, such as k/g, and denominators above a
// million.
#pragma once

#include "base/result.h"
#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/problem.h"

namespace cambium::spaces::coordinate {

Result<expr::Binding> padded(const Problem& problem, const Operator& op,
                             const expr::Binding& place);

}  // namespace cambium::spaces::coordinate

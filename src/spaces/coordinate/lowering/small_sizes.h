// Sizes like those of a place, but small: every size of the operator is whole there, what has one
// element keeps it and nothing else gets down to one, sizes that differ at the place differ, four
// elements or more stay four at least, and windows stay on their side of what decides how they are
// lowered. So the decomposition at the small sizes is made as that at the place, one that confuses
// two sizes or directions is found out, and direct evaluation, which is slow, can afford them.
// Verification calls it.
#pragma once

#include "base/result.h"
#include "expr/binding.h"
#include "spaces/coordinate/operator.h"

namespace cambium::spaces::coordinate {

// Refuses sizes that are not whole at the place.
Result<expr::Binding> small_like(const Operator& op, const expr::Binding& place);

}  // namespace cambium::spaces::coordinate

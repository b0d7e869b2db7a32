// Sizes like those of a place, but small enough for direct evaluation, which is slow. Every size of
// the operator is whole. A size is one exactly if it is one at the place. Sizes that differ at the
// place differ. Sizes of four or more stay at least four. Windows stay on the same side of the
// limit that decides how they are lowered. So the decomposition at the small sizes has the same
// form as that at the place, and shows whether it confuses two sizes or directions. Verification
// calls this.
#pragma once

#include "base/result.h"
#include "expr/binding.h"
#include "spaces/coordinate/operator.h"

namespace cambium::spaces::coordinate {

// Refuses an operator whose sizes are not whole at the place.
Result<expr::Binding> small_like(const Operator& op, const expr::Binding& place);

}  // namespace cambium::spaces::coordinate

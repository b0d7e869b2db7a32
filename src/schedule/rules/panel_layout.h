// The order in which a contraction reads its right operand: panels as wide as the register tile,
// each in the order of the reduction, so that the inner loop walks straight through memory.
#pragma once

#include "schedule/rules/contraction.h"
#include "schedule/steps/applied.h"

namespace cambium::schedule {

// For SetLayout of a copy of the right operand. The last iterator of the reduction is read in
// blocks of `block_size` around the others; 0: in one piece. `terms` neighbours of it stand side by
// side behind the lanes. Refuses BadLayout unless the lanes are a digit of an index of their own,
// and if blocks or terms are wanted of something that is no index.
Result<Names> panel_layout(const program::Block& block, const Contraction& c,
                           std::int64_t panel_width, std::int64_t block_size,
                           std::int64_t terms = 1);

}  // namespace cambium::schedule

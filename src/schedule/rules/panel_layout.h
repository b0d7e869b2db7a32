// The order in which a contraction reads its right operand: panels as wide as the register tile,
// each in the order of the reduction, so that the inner loop walks straight through memory.
#pragma once

#include "schedule/rules/contraction.h"
#include "schedule/steps/applied.h"

namespace cambium::schedule {

// The layout of a copy of the right operand, for SetLayout. The last iterator of the reduction is
// read in blocks of `block_size`, with the loop over blocks around the other iterators; 0: no
// blocks. `terms` neighbouring values of it lie side by side after the lanes. Refuses BadLayout if
// the lanes are not a digit of a separate index, or if the iterator that blocks or terms would
// divide is not an index.
Result<Names> panel_layout(const program::Block& block, const Contraction& c,
                           std::int64_t panel_width, std::int64_t block_size,
                           std::int64_t terms = 1);

}  // namespace cambium::schedule

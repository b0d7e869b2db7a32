// The order in which a contraction reads its right operand: panels as wide as the register tile,
// each in the order of the reduction, so that the inner loop walks straight through memory.
#pragma once

#include "schedule/applied.h"
#include "schedule/defaults/contraction.h"

namespace cambium::schedule {

// For SetLayout of a copy of the right operand. Refuses BadLayout when lanes are no digit of an
// index of their own.
Result<Names> panel_layout(const program::Block& block, const Contraction& c,
                           std::int64_t panel_width);

}  // namespace cambium::schedule

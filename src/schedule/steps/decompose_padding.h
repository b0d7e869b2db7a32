// DecomposePadding: splits a block `t[i...] = select(inside, x[...], c)` into a block that fills t
// with c, in the old loops, and a block of the old name that copies the inside without a condition.
// An iterator with a loop of its own runs only over the inside; others keep their extents under a
// predicate. Makes the filling block, the copying block, then the copying loops, outermost first.
// Refuses UnknownName and NotPadding (the value is not such a select, or `inside` is empty or not a
// box of points).
#pragma once

#include "schedule/steps/applied.h"

namespace cambium::schedule {

struct DecomposePadding {
  static constexpr const char* kName = "decompose_padding";
  std::string block;
  CAMBIUM_FIELDS(f("block", s.block))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

// Whether DecomposePadding accepts the block.
bool is_box_of_padding(Context& cx, const program::Block& block);

}  // namespace cambium::schedule

// DecomposePadding: a block `t[i...] = select(inside, x[...], c)` becomes a block that fills t with
// c, in the old loops, and one of the old name that copies the inside, without a condition in it.
// Its loops run over the inside only, where an iterator has a loop of its own; others keep their
// extents under a predicate. Makes the filling block, the copying block, then the copying loops,
// outermost first. Refuses UnknownName, NotPadding (the value is no such select, or `inside` is no
// box of points, or empty).
#pragma once

#include "schedule/applied.h"

namespace cambium::schedule {

struct DecomposePadding {
  static constexpr const char* kName = "decompose_padding";
  std::string block;
  CAMBIUM_FIELDS(f("block", s.block))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

// Whether a block is one that it takes apart.
bool is_box_of_padding(Context& cx, const program::Block& block);

}  // namespace cambium::schedule

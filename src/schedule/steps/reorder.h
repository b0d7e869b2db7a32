// Reorder: puts the named loops into the given order. They must belong to one chain of directly
// nested loops. Other loops of the chain keep their places. Refuses UnknownName, NotNested,
// ChangesOrder if a block would read an element before it is written or an init would run late, and
// what the verifier refuses of parallel and vectorized loops in their new place
// (VectorizedNotInnermost).
#pragma once

#include "schedule/steps/applied.h"

namespace cambium::schedule {

struct Reorder {
  static constexpr const char* kName = "reorder";
  Names loops;  // outermost first
  CAMBIUM_FIELDS(f("loops", s.loops))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule

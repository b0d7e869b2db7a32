// Reorder: puts the named loops into the given order. They must stand on one chain of loops with
// nothing beside them; other loops of the chain keep their places. Refuses UnknownName, NotNested,
// ChangesOrder if a block would read an element before it is written or an init would run late, and
// loops that may not run at once in their new place (VectorizedNotInnermost, as the verifier says).
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

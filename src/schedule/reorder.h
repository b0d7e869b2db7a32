// Reorder: the named loops, which stand on one chain of loops with nothing beside them, take the
// given order; other loops of the chain keep their places. Refuses UnknownName, NotNested,
// and ChangesOrder where a block would read what is not written yet, or an init would run late; and
// loops that run at once where they may not (VectorizedNotInnermost, as the verifier says).
#pragma once

#include "schedule/applied.h"

namespace cambium::schedule {

struct Reorder {
  static constexpr const char* kName = "reorder";
  Names loops;  // outermost first
  CAMBIUM_FIELDS(f("loops", s.loops))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule

// Unroll, Vectorize, Parallel: what a loop becomes in code. The meaning of the program does not
// change; what makes it wrong to run iterations at once is refused (ParallelReduction,
// ParallelOverlap, VectorizedNotInnermost), as are unknown names, loops that are something else
// already (LoopNotPlain) and UnrollTooLarge.
#pragma once

#include "schedule/applied.h"

namespace cambium::schedule {

struct Unroll {
  static constexpr const char* kName = "unroll";
  std::string loop;
  CAMBIUM_FIELDS(f("loop", s.loop))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

struct Vectorize {
  static constexpr const char* kName = "vectorize";
  std::string loop;
  CAMBIUM_FIELDS(f("loop", s.loop))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

struct Parallel {
  static constexpr const char* kName = "parallel";
  std::string loop;
  CAMBIUM_FIELDS(f("loop", s.loop))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule

// Unroll, Vectorize, Parallel: choose how code is generated for a loop. The meaning of the program
// does not change. Refuse loops whose iterations must not run at once (ParallelReduction,
// ParallelOverlap, VectorizedNotInnermost), UnknownName, LoopNotPlain for a loop of another kind,
// and UnrollTooLarge.
#pragma once

#include "schedule/steps/applied.h"

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

// Fuse: makes one loop of loops that are directly nested in each other.
//
//   for i in 4            fuse([i, j])       for i.j in 24
//     for j in 6          ----------->         block b(spatial i = i.j / 6, spatial j = i.j % 6)
//       block b(...)
// Makes the fused loop. Refuses UnknownName, NotNested, LoopNotPlain, TooLarge, BadFactors (no
// loops), and, for a spatial and a reduce loop, what the verifier then cannot prove.
#pragma once

#include "schedule/steps/applied.h"

namespace cambium::schedule {

struct Fuse {
  static constexpr const char* kName = "fuse";
  Names loops;  // outermost first
  CAMBIUM_FIELDS(f("loops", s.loops))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule

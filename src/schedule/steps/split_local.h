// SplitLocal: divides a local at points of one dimension into separate locals, if each access of
// every block stays within one piece. The first piece keeps the name.
//
//   local t: f32[8, 48]                     split_local(t, 1, [16])     local t: f32[8, 16]
//   for i in 8: for c in 16: t[i, c] = ...  ------------------------>   local t.2: f32[8, 32]
//   for i in 8: for c in 32: t[i, c+16] = ..                            ... t[i, c] ... t.2[i, c]
// Spatial iterators of these blocks begin at 0 then, and are as long as their loops: a partition
// leaves `spatial c in 48 = c.2 + 16`. A piece that nobody reads is not computed. Makes the
// remaining locals. Refuses UnknownName, NotLocal (a gather reads it), BadFactors (no such
// dimension, or points not rising inside it), NotABox (a block may use two pieces at once), and
// what the verifier refuses.
#pragma once

#include "schedule/steps/applied.h"

namespace cambium::schedule {

struct SplitLocal {
  static constexpr const char* kName = "split_local";
  std::string buffer;
  std::int64_t dimension = 0;
  Ints points;
  CAMBIUM_FIELDS(f("buffer", s.buffer), f("dimension", s.dimension), f("points", s.points))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule

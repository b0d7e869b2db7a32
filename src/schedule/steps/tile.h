// Tile: Split of each loop into [0, size], then Reorder of all outer loops before all inner ones.
// Makes the outer loops, then the inner ones. Refuses everything that Split and Reorder refuse.
#pragma once

#include "schedule/steps/split.h"

namespace cambium::schedule {

struct Tile {
  static constexpr const char* kName = "tile";
  Names loops;
  Ints sizes;
  Tail tail = Tail::Guard;  // exact or guard
  CAMBIUM_FIELDS(f("loops", s.loops), f("sizes", s.sizes), f("tail", s.tail))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule

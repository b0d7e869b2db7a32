// Split: one loop becomes several.
//
//   for i in 14            split(i, [0, 4], guard)      for i.0 in 4
//     block b(spatial i = i)   ------------->              for i.1 in 4
//                                                          block b(spatial i in 14 = 4*i.0 + i.1)
//                                                            if 4*i.0 + i.1 < 14
// One factor may be 0; it then gets the value that covers the extent. `tail` says what happens when
// the factors do not divide it: exact refuses NotDivisible, guard adds a predicate, peel makes a
// second nest of the rest (as Partition does). Makes the new loops, outermost first; after peel
// those of the rest follow, outermost first. Refuses UnknownName, BadFactors, NotDivisible, and
// LoopNotPlain for a loop that is vectorized, unrolled or parallel or has annotations. Peel refuses
// what Partition refuses; NotProved if a guard would separate the writes and reads of a value
// inside the loop.
#pragma once

#include "schedule/steps/applied.h"

namespace cambium::schedule {

enum class Tail : std::uint8_t { Exact, Guard, Peel };

struct Split {
  static constexpr const char* kName = "split";
  std::string loop;
  Ints factors;
  Tail tail = Tail::Guard;
  CAMBIUM_FIELDS(f("loop", s.loop), f("factors", s.factors), f("tail", s.tail))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule

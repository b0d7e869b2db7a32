// Partition: divides the range of a loop at the given points into consecutive pieces (prologue,
// body, epilogue), each with its own copy of the statements inside.
//
//   for i in 33                  partition(i, [32])   for i in 32        (predicate gone)
//     for j in 6                 ----------------->     for j in 6 ...
//       block b(...) if 6*i+j < 196                   for i.2 in 1
//                                                       for j.2 in 4 ... (loop as short as it can
//                                                       be)
// Predicates and conditions that are constant in a piece disappear from it. A predicate that bounds
// one inner loop from above shortens that loop. In all pieces but the first, blocks, loops and
// locals get new names; a local that is also used outside the loop is shared. A piece does not
// compute values that it does not read, and a piece in which no block runs is left out. Makes one
// loop per piece. Refuses UnknownName, BadFactors (points not rising inside the extent),
// LoopNotPlain, and SplitsReduction if the loop feeds a reduction whose block still has its init,
// or that the pieces would not keep whole; NotProved and ReadBeforeWrite if a proof fails.
#pragma once

#include "schedule/steps/applied.h"

namespace cambium::schedule {

struct Partition {
  static constexpr const char* kName = "partition";
  std::string loop;
  Ints points;
  CAMBIUM_FIELDS(f("loop", s.loop), f("points", s.points))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule

// Partition: the range of a loop falls apart at the given points into pieces that follow each other
// (prologue, body, epilogue), each with its own copy of what is inside.
//
//   for i in 33                  partition(i, [32])   for i in 32        (predicate gone)
//     for j in 6                 ----------------->     for j in 6 ...
//       block b(...) if 6*i+j < 196                   for i.2 in 1
//                                                       for j.2 in 4 ... (loop as short as it can
//                                                       be)
// Predicates and conditions in values that are decided in a piece disappear from it; a predicate
// that bounds one inner loop from above shortens that loop. Blocks, loops and locals inside get
// fresh names in all pieces but the first; a local that is used outside the loop too is shared.
// Values that nothing reads in a piece are not computed there, and a piece in which nothing runs is
// left out. Makes one loop per piece. Refuses UnknownName, BadFactors (points not rising inside the
// extent), LoopNotPlain, and SplitsReduction when the loop feeds a reduction whose block still has
// its init or that does not fall apart into whole ones; NotProved, ReadBeforeWrite where proofs
// need more.
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

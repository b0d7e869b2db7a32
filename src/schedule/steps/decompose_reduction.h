// DecomposeReduction: the initial value of a reduction becomes a separate block. Its loops are
// copies of the spatial loops inside `loop`, directly before `loop`.
//
//   for i in 4              decompose_reduction(s, k)   for i in 4
//     for k in 8            ------------------------>     s.init: t[i] = 0
//       s: t[i] += x[i, k]                                for k in 8
//          init 0                                           s: t[i] += x[i, k]
// Without a `loop`, the init block is put directly before the block; then no loop may reduce. Makes
// the init block, then its loops, outermost first. The copied loops keep their kinds. Refuses
// UnknownName, NoInit, NotAround (the loop is not around the block), and SplitsReduction when a
// loop outside `loop` feeds the reduction or one inside feeds more than it, ChangesOrder where the
// target lives inside `loop` or others write it there, NotProved when it does not begin at 0.
#pragma once

#include "schedule/steps/applied.h"

namespace cambium::schedule {

struct DecomposeReduction {
  static constexpr const char* kName = "decompose_reduction";
  std::string block;
  std::string loop;
  CAMBIUM_FIELDS(f("block", s.block), f("loop", s.loop))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule

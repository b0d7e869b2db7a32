// RFactor: the iterations of a reduction loop become partial results side by side, so that the loop
// can be vectorized or run in parallel.
//
//   for i: for ko: for ki       rfactor(ki, 1)   for i
//     s[i] += x[i, ko, ki]      ------------->     for ko: for ki: p[i, ki] += x[i, ko, ki]
//                                                  for ki: s[i] += p[i, ki]
// `position` is the dimension that the loop takes in the buffer of partial results. The final block
// keeps the name and the init. It is put directly after the outermost loop of the reduction, in
// copies of the spatial loops inside that loop. Points that a predicate excludes from the reduction
// contribute the neutral value. Makes the block of partial results, the local, then the loops of
// the final block. Refuses UnknownName, NotAReduction (the loop does not feed one reduction alone
// and directly), NotAssociative (f16 and bf16 round at every step; whole numbers and other floats
// may be regrouped), BadFactors (position), BufferTooLarge, and what the verifier refuses.
#pragma once

#include "schedule/steps/applied.h"

namespace cambium::schedule {

struct RFactor {
  static constexpr const char* kName = "rfactor";
  std::string loop;
  std::int64_t position = 0;
  CAMBIUM_FIELDS(f("loop", s.loop), f("position", s.position))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule

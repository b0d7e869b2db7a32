// ComposeReduction: joins a reduction without an initial value with the block before it that stores
// a number in all of its elements. This reverses DecomposeReduction.
//
//   for i in 4: s.init: t[i] = 0                    compose_reduction(s)   for i in 4: for k in 8:
//   for i in 4: for k in 8: s: t[i] += x[i, k]      -------------------->    s: t[i] += x[i, k]
//                                                                               init 0
// Makes nothing. Refuses UnknownName, BadReduction (it assigns, or has an initial value), NotLocal
// (other blocks write the target, or none does beforehand), NotABox (the reduction does not reach
// every element of its target), and what the verifier refuses.
#pragma once

#include "schedule/steps/applied.h"

namespace cambium::schedule {

struct ComposeReduction {
  static constexpr const char* kName = "compose_reduction";
  std::string block;
  CAMBIUM_FIELDS(f("block", s.block))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule

// LiftSelect: where padding was inlined into a sum of products, the condition moves around the
// product, so that what lies outside is not multiplied at all once the condition is decided.
//
//   y[o] += select([1 <= o + k], x[o + k - 1], 0.0) * w[k]
//   y[o] += select([1 <= o + k], x[o + k - 1] * w[k], 0.0)
// Makes nothing. The sum is the same wherever factors are finite: 0 times infinity is left out as
// well. Refuses UnknownName, NotAContraction (no sum of products with such a select as a factor).
#pragma once

#include "schedule/applied.h"

namespace cambium::schedule {

struct LiftSelect {
  static constexpr const char* kName = "lift_select";
  std::string block;
  CAMBIUM_FIELDS(f("block", s.block))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule

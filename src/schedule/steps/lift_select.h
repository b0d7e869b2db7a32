// LiftSelect: moves the condition of padding that was inlined into a sum of products around the
// product. Once the condition is decided, values outside are not multiplied at all.
//
//   y[o] += select([1 <= o + k], x[o + k - 1], 0.0) * w[k]
//   y[o] += select([1 <= o + k], x[o + k - 1] * w[k], 0.0)
// Makes nothing. The sum is the same if all factors are finite: 0 times infinity is also left out.
// Refuses UnknownName and NotAContraction (not a sum of products with such a select as a factor).
#pragma once

#include "schedule/steps/applied.h"

namespace cambium::schedule {

struct LiftSelect {
  static constexpr const char* kName = "lift_select";
  std::string block;
  CAMBIUM_FIELDS(f("block", s.block))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule

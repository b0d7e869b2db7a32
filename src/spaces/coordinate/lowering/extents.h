// Extents: an operator at one place, and the shapes of its input and output there. If sizes do not
// divide, variables may be padded (padding.h). The operator is then bound to larger sizes than
// those of its input and output outside: zeros follow the input along each axis, and the result is
// cropped.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "expr/binding.h"
#include "spaces/coordinate/bound.h"

namespace cambium::spaces::coordinate {

struct Extents {
  BoundOperator inside;
  std::vector<std::int64_t> input, output;  // sizes outside, by axis

  std::int64_t of(CoordinateIndex c) const { return inside.domain(c); }
  // The parameter of a MERGE, a STRIDE or an UNFOLD, as in BoundCoordinate.
  std::int64_t parameter(CoordinateIndex c) const {
    return inside.coordinates[static_cast<std::size_t>(c)].parameter;
  }
};

// Refuses what `bind` refuses. `inside` must be at least `outside` for every variable.
Result<Extents> extents_of(const Operator& op, const expr::Binding& outside,
                           const expr::Binding& inside);
inline Result<Extents> extents_of(const Operator& op, const expr::Binding& binding) {
  return extents_of(op, binding, binding);
}

}  // namespace cambium::spaces::coordinate

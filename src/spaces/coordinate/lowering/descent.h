// Descent: from the data down to the output, a primitive that is *lowered* turns its top
// coordinates into its bottom ones, and a coordinate is *passed* when everything above it is
// lowered. Which primitives stand above each coordinate, and which of them make the data larger, is
// what the order of stages depends on. Expects a legal operator (coordinate/check.h).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "spaces/coordinate/operator.h"

namespace cambium::spaces::coordinate {

using Mask = std::uint64_t;

struct Descent {
  std::size_t outputs = 0, reductions = 0;  // how many; coordinates begin with them

  // By coordinate.
  std::vector<std::array<CoordinateIndex, 2>> consumers;  // two: the halves of a MERGE
  std::vector<bool> is_expanded;                          // neither consumed nor read by the data
  std::vector<Mask> growth;                               // what of `growing` stands above it

  // Unfolds, and coordinates that come from nothing.
  struct Growing {
    CoordinateIndex coordinate;
    bool is_expansion;
  };
  std::vector<Growing> growing;
  std::vector<CoordinateIndex> strides;
  std::vector<Mask> weights_of;  // by reduction: the weights that depend on it

  CoordinateIndex reduction(std::size_t r) const {
    return static_cast<CoordinateIndex>(outputs + r);
  }
};

// Refuses (SizeOutOfRange) what is too large to be ordered exactly: more than 16 reductions and
// weights together, or more than 63 unfolds and expanded coordinates.
Result<Descent> descent_of(const Operator& op);

}  // namespace cambium::spaces::coordinate

// Descent: the way from the data down to the output. *Lowering* a primitive turns its top
// coordinates into its bottom ones. A coordinate is *passed* when everything above it is lowered.
// The order of stages depends on which primitives stand above each coordinate, and on which of them
// enlarge the data. Expects a legal operator (check.h).
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
  std::vector<bool> is_expanded;  // no primitive and no axis of the data consumes it
  std::vector<Mask> growth;       // the members of `growing` that stand above it

  // UNFOLDs, and expanded coordinates.
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

// Refuses (SizeOutOfRange) operators too large to order exactly: more than 16 reductions and
// weights together, or more than 63 UNFOLDs and expanded coordinates.
Result<Descent> descent_of(const Operator& op);

}  // namespace cambium::spaces::coordinate

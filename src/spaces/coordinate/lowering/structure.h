// Structure: what stages and lowerings ask of an operator's coordinates: who consumes each, what it
// is made of, and which primitives above it make the data larger. Top-down, a primitive that is
// *lowered* turns its top coordinates into its bottom ones; a coordinate is *passed* when
// everything above it is lowered. Expects a legal operator (coordinate/checks.h); refuses what is
// too large to order exactly.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "spaces/coordinate/operator.h"

namespace cambium::spaces::coordinate {

using Mask = std::uint64_t;

struct Structure {
  std::size_t outputs = 0, reductions = 0;  // how many; coordinates begin with them

  // By coordinate.
  std::vector<std::array<CoordinateIndex, 2>> consumers;  // two: the halves of a MERGE
  std::vector<Mask> leaves;   // the outputs and reductions that it is made of, by their place
  std::vector<Mask> growers;  // what of `growing` is lowered once it is passed

  // Unfolds, and coordinates that come from nothing: lowering one makes the data larger.
  struct Growing {
    CoordinateIndex coordinate;
    bool is_expansion;
  };
  std::vector<Growing> growing;
  std::vector<CoordinateIndex> strides;
  // By reduction: the weights that depend on it. None: an average.
  std::vector<Mask> weights_of;

  bool is_expanded(const Operator& op, CoordinateIndex c) const;
  CoordinateIndex reduction(std::size_t r) const {
    return static_cast<CoordinateIndex>(outputs + r);
  }
};

// Refuses (SizeOutOfRange) more than 63 coordinates that are outputs, reductions or growing, and
// more than 16 reductions and weights together.
Result<Structure> structure_of(const Operator& op);

}  // namespace cambium::spaces::coordinate

// Loops: the coordinates that a stage runs over when it is lowered to tensors. Views and
// Decomposition share it.
#pragma once

#include <array>
#include <vector>

#include "spaces/coordinate/operator.h"

namespace cambium::spaces::coordinate {

struct Loops {
  std::vector<bool> is_loop;  // by coordinate
  // By coordinate, the halves that stand for a loop; none if the loop is whole. An output whose
  // MERGE is lowered in this stage is computed as both halves and reshaped at the end of the stage,
  // so that no data is repeated along a half that it does not have.
  std::vector<std::array<CoordinateIndex, 2>> halves;

  bool has(CoordinateIndex c) const { return is_loop[place_of(c)]; }
  bool cuts(CoordinateIndex c) const { return halves[place_of(c)][0] != kNoCoordinate; }
};

}  // namespace cambium::spaces::coordinate

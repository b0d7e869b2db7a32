// Loops: which coordinates a stage runs over when it is lowered to tensors. Views and Decomposition
// share it.
#pragma once

#include <array>
#include <vector>

#include "spaces/coordinate/operator.h"

namespace cambium::spaces::coordinate {

struct Loops {
  std::vector<bool> is_loop;  // by coordinate
  // The halves that a loop is computed as: an output whose MERGE is lowered in this stage is
  // written as both halves and reshaped when the stage is done, so that no data is repeated along a
  // half that it does not have. By coordinate; none where it is not cut.
  std::vector<std::array<CoordinateIndex, 2>> halves;

  bool has(CoordinateIndex c) const { return is_loop[place_of(c)]; }
  bool cuts(CoordinateIndex c) const { return halves[place_of(c)][0] != kNoCoordinate; }
};

}  // namespace cambium::spaces::coordinate

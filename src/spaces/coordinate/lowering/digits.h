// Digits: what coordinates read, as digits of the loops below them. SPLITs and MERGEs whose sizes
// divide each other only move digits: with loops a of 4 and b of 6, high(split(a, b), 12) is the
// slower half of a. A table of places that is made of such coordinates is therefore known without
// computing its elements, of which there may be a million. Views calls this.
#pragma once

#include <optional>
#include <vector>

#include "model/tensor.h"
#include "spaces/coordinate/lowering/extents.h"
#include "spaces/coordinate/lowering/loops.h"

namespace cambium::spaces::coordinate {

// The table of places_at (entangled.h). Nothing if other primitives stand below the coordinates, or
// if sizes do not divide.
std::optional<std::vector<model::Step>> steps_at(const std::vector<CoordinateIndex>& coordinates,
                                                 const std::vector<CoordinateIndex>& over,
                                                 const Extents& extents, const Loops& loops);

}  // namespace cambium::spaces::coordinate

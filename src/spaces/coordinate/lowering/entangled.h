// Axes of a weight that are not independent of each other: one is made of another, as in
// W[low(c), unfold(split(low(c), high(c)), r)]. Lowered view by view, the loop below both would
// occur twice. Such axes are read at once instead, by a table of where each point of their loops
// lies: nothing is repeated, and the table has no more elements than what comes out. Views calls
// it.
#pragma once

#include <cstdint>
#include <vector>

#include "spaces/coordinate/lowering/extents.h"
#include "spaces/coordinate/lowering/loops.h"

namespace cambium::spaces::coordinate {

// Whether a coordinate is `part`, or built from it.
bool is_made_of(const Operator& op, CoordinateIndex c, CoordinateIndex part);

struct Entangled {
  std::vector<std::size_t> axes;       // places in the tensor, ascending
  std::vector<CoordinateIndex> loops;  // that they depend on, ascending
};

// Axes that share loops stand in one group; of the groups, those in which one axis is made of
// another.
std::vector<Entangled> entangled_axes(const Operator& op, const std::vector<CoordinateIndex>& axes,
                                      const Loops& loops);

// For each point of the loops, the last one fastest: the place of the coordinates in a tensor that
// has them as its axes. A place that lies outside, as beyond the border of an UNFOLD, is the number
// of its elements.
std::vector<std::int64_t> places_at(const std::vector<CoordinateIndex>& coordinates,
                                    const std::vector<CoordinateIndex>& over,
                                    const Extents& extents, const Loops& loops);

}  // namespace cambium::spaces::coordinate

// Entangled axes of a weight: one axis is made of another, as in W[low(c), unfold(split(low(c),
// high(c)), r)]. Lowered view by view, the loop below both axes would occur twice. Instead, a table
// reads such axes at once: it has the place of each point of their loops. So nothing is repeated,
// and the table has no more elements than its result. Views calls this.
#pragma once

#include <cstdint>
#include <vector>

#include "spaces/coordinate/lowering/extents.h"
#include "spaces/coordinate/lowering/loops.h"

namespace cambium::spaces::coordinate {

// Whether a coordinate is `part` or is built from it.
bool is_made_of(const Operator& op, CoordinateIndex c, CoordinateIndex part);

struct Entangled {
  std::vector<std::size_t> axes;       // places in the tensor, ascending
  std::vector<CoordinateIndex> loops;  // the loops that they depend on, ascending
};

// Groups axes that share loops, and returns the groups in which one axis is made of another.
std::vector<Entangled> entangled_axes(const Operator& op, const std::vector<CoordinateIndex>& axes,
                                      const Loops& loops);

// For each point of the loops, last loop fastest: the place of the coordinates in a tensor that has
// them as its axes. A point outside the tensor, for example beyond the border of an UNFOLD, gets
// the number of the tensor's elements.
std::vector<std::int64_t> places_at(const std::vector<CoordinateIndex>& coordinates,
                                    const std::vector<CoordinateIndex>& over,
                                    const Extents& extents, const Loops& loops);

}  // namespace cambium::spaces::coordinate

// How many bytes a program brings into each cache, from the footprints of its accesses: a loop
// whose whole footprint fits loads it once; the innermost loop that does not fit decides what is
// loaded how often. Called by analysis.cpp.
#pragma once

#include <array>

#include "base/machine.h"

namespace cambium::tune {

struct Analysis;

// What the model counts with: L1, L2, L3. Some bytes are always in use by something else, and a
// processor of several chiplets has no more L3 for one core than one of them has.
std::array<double, 3> capacities(const Machine& machine);

// Marks blocks of statements at the root that compute from constants alone, as
// compile/constant_part.h splits them off: they run once, when the weights are loaded.
void mark_load_blocks(Analysis& analysis);

// Fills the footprints of loops and the traffic of blocks.
void add_traffic(Analysis& analysis, const Machine& machine);

}  // namespace cambium::tune

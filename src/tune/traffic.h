// Computes how many bytes a program brings into each cache, from the footprints of its accesses. A
// loop whose whole footprint fits loads it once. The innermost loop that does not fit decides how
// often data is loaded. Called by analysis.cpp.
#pragma once

#include <array>

#include "base/machine.h"

namespace cambium::tune {

struct Analysis;

// The capacities of L1, L2 and L3 for the model. Some bytes are always in use by something else. On
// a processor of several chiplets, one core can use only the L3 of one chiplet.
std::array<double, 3> capacities(const Machine& machine);

// Marks the blocks of statements at the root that depend only on constants, as
// compile/constant_part.h splits them off. They run once, when the weights are loaded.
void mark_load_blocks(Analysis& analysis);

// Computes the footprints of loops and the traffic of blocks.
void add_traffic(Analysis& analysis, const Machine& machine);

}  // namespace cambium::tune

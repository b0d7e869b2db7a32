// The ways in which the default schedule treats one block, one file each. Each changes the schedule
// only when all its steps succeed; a refusal leaves it as it was, and the next way is tried.
#pragma once

#include <string>

#include "base/machine.h"
#include "schedule/schedule.h"

namespace cambium::schedule {

// A contraction: register tile, packed right operand, epilogue in registers (contraction_tile.cpp).
Status tile_contraction(Schedule& s, const std::string& block, const Machine& machine);

// A reduction whose lanes are spatial: accumulators in registers, windows unrolled
// (window_tile.cpp).
Status tile_window(Schedule& s, const std::string& block, const Machine& machine);

// A reduction along memory becomes accumulators side by side and a short reduction of those
// (lane_reduction.cpp).
Status reduce_in_lanes(Schedule& s, const std::string& block, const Machine& machine);

// Loops of a block that is not tiled otherwise: contiguous ones fused, vectors, threads
// (vector_loops.cpp).
Status vectorize_loops(Schedule& s, const std::string& block, const Machine& machine);

// Groups of a convolution that are narrower than a vector share one: group and channel become one
// iterator, whose lanes read their own group's input (fold.cpp).
void merge_narrow_groups(Schedule& s, const Machine& machine);

// Elementwise blocks go where they are read, as far as nothing is computed twice (fold.cpp).
void fold_elementwise(Schedule& s);

// Moves blocks under the loops of their readers where that costs nothing (fold.cpp): softmax and
// normalizations then work row by row.
void fuse_rows(Schedule& s);

// Shares the work of an outer loop around the block among threads, if there is enough of it.
void run_in_parallel(Schedule& s, const std::string& block, const Machine& machine);

}  // namespace cambium::schedule

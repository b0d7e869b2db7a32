// Cambium's own rules, one file each. They make kernels as vendor libraries write them; every
// constant of such a library is a decision here. The preferred decisions are the default schedule.
// Each function is the `apply` of a Rule (rules/rule.h); rules/whole_space.cpp lists them.
#pragma once

#include "schedule/trace/draft.h"

namespace cambium::schedule {

// Groups of a convolution that are narrower than a vector share one: group and channel become one
// iterator, whose lanes read their own group's input (merge_narrow_groups.cpp).
Status merge_narrow_groups(Draft& draft, const std::string& block);

// A slab of rows, between zeros of its own, becomes an image (slab_images.cpp).
Status make_slab_images(Draft& draft, const std::string& block);

// A local of which a large part is never read is computed as far as it is (drop_unread.cpp).
Status drop_unread(Draft& draft, const std::string& block);

// Sums that each write a part of one buffer get buffers and epilogues of their own
// (separate_pieces.cpp).
Status separate_pieces(Draft& draft, const std::string& block);

// An elementwise block goes where it is read, as far as nothing is computed twice (fold.cpp).
Status fold_elementwise(Draft& draft, const std::string& block);

// A contraction: register tile, packed operands, epilogue in registers (contraction_tile.cpp).
Status tile_contraction(Draft& draft, const std::string& block);

// A reduction whose lanes are spatial: accumulators in registers, windows unrolled
// (window_tile.cpp).
Status tile_window(Draft& draft, const std::string& block);

// A block goes under the loops of its readers where that costs nothing: softmax and normalizations
// then work row by row (fuse_rows.cpp).
Status fuse_rows(Draft& draft, const std::string& block);

// A reduction along memory becomes accumulators side by side and a short reduction of those
// (lane_reduction.cpp).
Status reduce_in_lanes(Draft& draft, const std::string& block);

// A packed copy is made panel by panel under a loop of what reads it (place_panels.cpp).
Status place_panels(Draft& draft, const std::string& block);

// A copy between two orders of memory works in square tiles (transpose_copy.cpp).
Status transpose_copy(Draft& draft, const std::string& block);

// Loops of a block that is not tiled otherwise: contiguous ones fused, vectors (vector_loops.cpp).
Status vectorize_loops(Draft& draft, const std::string& block);

// The work of an outer loop around the block is shared among threads, if there is enough of it
// (parallel_loops.cpp).
Status run_in_parallel(Draft& draft, const std::string& block);

}  // namespace cambium::schedule

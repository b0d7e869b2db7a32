// Cambium's own rules, one file each. They make kernels like those of vendor libraries, but what is
// a constant in such a library is a decision here. The preferred decisions are the default
// schedule. Each function is the `apply` of a Rule (rules/rule.h); rules/whole_space.cpp lists
// them.
#pragma once

#include "schedule/trace/draft.h"

namespace cambium::schedule {

// Groups of a convolution that are narrower than a vector share one: group and channel become one
// iterator, whose lanes read their own group's input (merge_narrow_groups.cpp).
Status merge_narrow_groups(Draft& draft, const std::string& block);

// A slab of rows with its own padding becomes an image (slab_images.cpp).
Status make_slab_images(Draft& draft, const std::string& block);

// If a large part of a local is never read, only the rest is computed (drop_unread.cpp).
Status drop_unread(Draft& draft, const std::string& block);

// Sums that each write a part of one buffer get separate buffers and epilogues
// (separate_pieces.cpp).
Status separate_pieces(Draft& draft, const std::string& block);

// An elementwise block is computed where it is read, unless something would be computed twice
// (fold.cpp).
Status fold_elementwise(Draft& draft, const std::string& block);

// A contraction: register tile, packed operands, epilogue in registers (contraction_tile.cpp).
Status tile_contraction(Draft& draft, const std::string& block);

// A reduction whose lanes are spatial: accumulators in registers, windows unrolled
// (window_tile.cpp).
Status tile_window(Draft& draft, const std::string& block);

// A block moves under the loops of its readers if that costs nothing. Softmax and normalizations
// then work row by row (fuse_rows.cpp).
Status fuse_rows(Draft& draft, const std::string& block);

// A reduction along memory becomes accumulators in lanes, and a short reduction of these
// (lane_reduction.cpp).
Status reduce_in_lanes(Draft& draft, const std::string& block);

// A packed copy is made panel by panel under a loop of its reader (place_panels.cpp).
Status place_panels(Draft& draft, const std::string& block);

// A copy between two memory orders works in square tiles (transpose_copy.cpp).
Status transpose_copy(Draft& draft, const std::string& block);

// Loops of a block that is not tiled otherwise: contiguous ones fused, vectors (vector_loops.cpp).
Status vectorize_loops(Draft& draft, const std::string& block);

// The work of an outer loop around the block is shared among threads, if there is enough of it
// (parallel_loops.cpp).
Status run_in_parallel(Draft& draft, const std::string& block);

}  // namespace cambium::schedule

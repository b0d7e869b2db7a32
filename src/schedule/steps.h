// All transformations, in two lists: those that keep what a program computes and those that change
// it. The text form, the trace, the random tests and docs/transformations.md come from the lists.
#pragma once

#include <variant>

#include "schedule/annotate.h"
#include "schedule/cache.h"
#include "schedule/compute_at.h"
#include "schedule/decompose_padding.h"
#include "schedule/decompose_reduction.h"
#include "schedule/fuse.h"
#include "schedule/inline.h"
#include "schedule/loop_kinds.h"
#include "schedule/merge_iterators.h"
#include "schedule/neural.h"
#include "schedule/pad_to_multiple.h"
#include "schedule/partition.h"
#include "schedule/reorder.h"
#include "schedule/rfactor.h"
#include "schedule/set_layout.h"
#include "schedule/split.h"
#include "schedule/tensorize.h"
#include "schedule/tile.h"

namespace cambium::schedule {

using Preserving = std::variant<Split, Fuse, Reorder, Tile, Unroll, Vectorize, Parallel, Partition,
                                Annotate, Prefetch, DecomposeReduction, ComputeAt, ReverseComputeAt,
                                Inline, ReverseInline, CacheRead, CacheWrite, RFactor, SetLayout,
                                MergeIterators, PadToMultiple, DecomposePadding, Tensorize>;
using Neural = std::variant<Bottleneck, Group, Depthwise, GroupSlabs, GroupChannels>;

// One of either: what a trace holds.
using Step = std::variant<Split, Fuse, Reorder, Tile, Unroll, Vectorize, Parallel, Partition,
                          Annotate, Prefetch, DecomposeReduction, ComputeAt, ReverseComputeAt,
                          Inline, ReverseInline, CacheRead, CacheWrite, RFactor, SetLayout,
                          MergeIterators, PadToMultiple, DecomposePadding, Tensorize, Bottleneck,
                          Group, Depthwise, GroupSlabs, GroupChannels>;

}  // namespace cambium::schedule

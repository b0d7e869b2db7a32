// All transformations, in three lists: those that keep what a program computes, those that change
// it, and samplings, which change nothing. The text form, the trace, the random tests,
// docs/transformations.md and docs/sampling.md come from the lists.
#pragma once

#include <variant>

#include "schedule/annotate.h"
#include "schedule/cache.h"
#include "schedule/compute_at.h"
#include "schedule/decompose_padding.h"
#include "schedule/decompose_reduction.h"
#include "schedule/fuse.h"
#include "schedule/inline.h"
#include "schedule/lift_select.h"
#include "schedule/loop_kinds.h"
#include "schedule/merge_iterators.h"
#include "schedule/neural.h"
#include "schedule/pad_to_multiple.h"
#include "schedule/partition.h"
#include "schedule/reorder.h"
#include "schedule/rfactor.h"
#include "schedule/samples.h"
#include "schedule/set_layout.h"
#include "schedule/split.h"
#include "schedule/tensorize.h"
#include "schedule/tile.h"
#include "schedule/winograd.h"

namespace cambium::schedule {

using Preserving =
    std::variant<Split, Fuse, Reorder, Tile, Unroll, Vectorize, Parallel, Partition, Annotate,
                 Prefetch, DecomposeReduction, ComputeAt, ReverseComputeAt, Inline, ReverseInline,
                 CacheRead, CacheWrite, RFactor, SetLayout, MergeIterators, PadToMultiple,
                 DecomposePadding, LiftSelect, Tensorize, Winograd>;
using Neural = std::variant<Bottleneck, Group, Depthwise, GroupSlabs, GroupChannels>;
using Sampling =
    std::variant<SampleCategorical, SamplePerfectTile, SampleImperfectTile, SamplePartitionedTile,
                 SampleComputeLocation, SampleLayout, SampleMicroKernel>;

// One of them: what a trace holds.
using Step =
    std::variant<Split, Fuse, Reorder, Tile, Unroll, Vectorize, Parallel, Partition, Annotate,
                 Prefetch, DecomposeReduction, ComputeAt, ReverseComputeAt, Inline, ReverseInline,
                 CacheRead, CacheWrite, RFactor, SetLayout, MergeIterators, PadToMultiple,
                 DecomposePadding, LiftSelect, Tensorize, Winograd, Bottleneck, Group, Depthwise,
                 GroupSlabs, GroupChannels, SampleCategorical, SamplePerfectTile,
                 SampleImperfectTile, SamplePartitionedTile, SampleComputeLocation, SampleLayout,
                 SampleMicroKernel>;

}  // namespace cambium::schedule

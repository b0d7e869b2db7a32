// All steps, in three lists: transformations that preserve what a program computes, neural ones,
// which change it, and sampling instructions, which leave the program alone. The type of a step,
// its text form and replay follow from the lists. Tests compare random_step_testing.cpp,
// docs/transformations.md and docs/sampling.md with them. A new step is added here once.
#pragma once

#include <cstddef>
#include <utility>
#include <variant>

#include "schedule/neural/neural.h"
#include "schedule/neural/normalize.h"
#include "schedule/sampling/samples.h"
#include "schedule/steps/annotate.h"
#include "schedule/steps/cache.h"
#include "schedule/steps/cache_padded.h"
#include "schedule/steps/canonical_names.h"
#include "schedule/steps/compose_reduction.h"
#include "schedule/steps/compute_at.h"
#include "schedule/steps/decompose_padding.h"
#include "schedule/steps/decompose_reduction.h"
#include "schedule/steps/fuse.h"
#include "schedule/steps/inline.h"
#include "schedule/steps/lift_select.h"
#include "schedule/steps/loop_kinds.h"
#include "schedule/steps/merge_iterators.h"
#include "schedule/steps/pad_to_multiple.h"
#include "schedule/steps/partition.h"
#include "schedule/steps/reorder.h"
#include "schedule/steps/rfactor.h"
#include "schedule/steps/set_layout.h"
#include "schedule/steps/share_local.h"
#include "schedule/steps/split.h"
#include "schedule/steps/split_local.h"
#include "schedule/steps/tensorize.h"
#include "schedule/steps/tile.h"
#include "schedule/steps/winograd.h"

namespace cambium::schedule {

using Preserving =
    std::variant<Split, Fuse, Reorder, Tile, Unroll, Vectorize, Parallel, Partition, Annotate,
                 Prefetch, DecomposeReduction, ComputeAt, ReverseComputeAt, Inline, ReverseInline,
                 CacheRead, CacheWrite, RFactor, SetLayout, MergeIterators, PadToMultiple,
                 DecomposePadding, LiftSelect, Tensorize, Winograd, Normalize, CanonicalNames,
                 ComposeReduction, SplitLocal, CachePadded, ShareLocal>;
using Neural = std::variant<Bottleneck, Group, Depthwise, GroupSlabs, GroupChannels, Separate>;
using Sampling =
    std::variant<SampleCategorical, SamplePerfectTile, SampleImperfectTile, SamplePartitionedTile,
                 SampleComputeLocation, SampleLayout, SampleMicroKernel>;

template <class...>
struct Joined;
template <class... A, class... B, class... C>
struct Joined<std::variant<A...>, std::variant<B...>, std::variant<C...>> {
  using Type = std::variant<A..., B..., C...>;
};

// Any step; traces consist of these.
using Step = Joined<Preserving, Neural, Sampling>::Type;

// Calls f with every step of one of these lists, with default fields.
template <class List, class F, std::size_t... i>
void for_each_step(const F& f, std::index_sequence<i...> /*positions*/) {
  (f(std::variant_alternative_t<i, List>{}), ...);
}
template <class List, class F>
void for_each_step(const F& f) {
  for_each_step<List>(f, std::make_index_sequence<std::variant_size_v<List>>());
}

}  // namespace cambium::schedule

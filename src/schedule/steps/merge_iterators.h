// MergeIterators: merges iterators of one kind, and the loops that feed only these iterators. For
// example, this makes tiles of pixels out of rows and columns.
//
//   block b(spatial oh = oh, spatial ow = ow) y[oh, ow] = f(oh, ow)
//   block b(spatial p = p)                    y[p / 14, p % 14] = f(p / 14, p % 14)
// The loops must be exactly one plain serial loop per iterator, bound directly, nested directly.
// Makes the merged iterator's loop. Refuses UnknownName, NotNested, LoopNotPlain, TooLarge,
// BadFactors (no iterators), BadReduction (spatial and reduce ones).
#pragma once

#include "schedule/steps/applied.h"

namespace cambium::schedule {

struct MergeIterators {
  static constexpr const char* kName = "merge_iterators";
  std::string block;
  Names iterators;  // in the order of significance
  CAMBIUM_FIELDS(f("block", s.block), f("iterators", s.iterators))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule

// ComputeAt moves a block that writes a local under a loop of its consumers, so that each iteration
// computes only the elements that it reads. The local shrinks to these elements. ReverseComputeAt
// moves a consumer under a loop of its producer. The block gets new loops over the box of points
// that are needed there.
//
//   for i in 64: t[i] = f(x[i])            compute_at(t, io)    for io in 16
//   for io in 16: for ii in 4: y = g(t)    --------------->       for i in 4: t[i] = f(x[4*io+i])
//                                                                 for ii in 4: y = g(t[ii])
// ComputeAt needs all consumers of the block's buffer under `loop`; the block goes before the first
// of them. ReverseComputeAt needs all producers of what the block reads either before the nest or
// complete after one iteration of `loop`; it goes after the last. The old loops of the block are
// dropped; new plain loops run over the box of its iterators. A predicate that is linear in the
// loops (6*o + i < 196) excludes points of the box beyond the ranges of the iterators. The local is
// indexed modulo the tile (schedule/steps/shrink.h): t[i % 4] above, which over the loops is t[i]
// again. Make the new loops, outermost first, in the order of the block's iterators (those of
// extent 1 are left out). Refuse UnknownName, NotLocal, NotConsumer, NotAround, NotABox (points
// beyond rectangles are needed), ReadBeforeWrite, ChangesOrder (past another writer),
// SplitsReduction, NotProved, and what the verifier refuses.
#pragma once

#include "schedule/steps/applied.h"

namespace cambium::schedule {

struct ComputeAt {
  static constexpr const char* kName = "compute_at";
  std::string block;
  std::string loop;
  CAMBIUM_FIELDS(f("block", s.block), f("loop", s.loop))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

struct ReverseComputeAt {
  static constexpr const char* kName = "reverse_compute_at";
  std::string block;
  std::string loop;
  CAMBIUM_FIELDS(f("block", s.block), f("loop", s.loop))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule

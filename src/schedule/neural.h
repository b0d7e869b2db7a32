// The neural transformations of NAS-PTE: they change what is computed, so only an evaluator's word
// makes them legal. Each acts on loops of one contraction as lowering writes it (one loop per
// iterator, possibly reordered), and returns how the interface changed (weights, outputs).
//
// Bottleneck: the loop, which must be the outermost of its nest, runs over extent/factor only.
//   On an output channel the output loses channels: accepted only where the consumer is in the same
//   program or `accept` is set. On an input channel (after Reorder) the weights lose that part and
//   the rest of the input is not read. On a spatial loop the values are computed on the coarser
//   grid and repeated `factor` times to restore the shape.
// Group: the two outermost loops (output and input channels) are sliced together by `factor`; the
//   weights lose the factor in their input channels.
// Depthwise: Group where each channel is its own group; needs as many outputs as inputs.
// GroupSlabs, GroupChannels: the two readings of the paper's sequence 1, over a split spatial loop
//   and the channels: per-slab weights with the padding at every slab's border (the authors'
//   release), or slab g computing only its slice of the output channels (the text, literally).
// Refuse UnknownName, NotOutermost, NotDivisible, NotAContraction, ChangesInterface.
#pragma once

#include "schedule/applied.h"

namespace cambium::schedule {

struct Bottleneck {
  static constexpr const char* kName = "bottleneck";
  std::string loop;
  std::int64_t factor = 2;
  bool accept = false;
  CAMBIUM_FIELDS(f("loop", s.loop), f("factor", s.factor), f("accept", s.accept))
  Result<NeuralApplied> apply(Context& cx, const Program& program) const;
};

struct Group {
  static constexpr const char* kName = "group";
  std::string outer, inner;
  std::int64_t factor = 2;
  std::int64_t skip = 0;
  CAMBIUM_FIELDS(f("outer", s.outer), f("inner", s.inner), f("factor", s.factor), f("skip", s.skip))
  Result<NeuralApplied> apply(Context& cx, const Program& program) const;
};

struct Depthwise {
  static constexpr const char* kName = "depthwise";
  std::string outer, inner;
  CAMBIUM_FIELDS(f("outer", s.outer), f("inner", s.inner))
  Result<NeuralApplied> apply(Context& cx, const Program& program) const;
};

struct GroupSlabs {
  static constexpr const char* kName = "group_slabs";
  std::string rows;  // the outer loop of a split spatial loop
  CAMBIUM_FIELDS(f("rows", s.rows))
  Result<NeuralApplied> apply(Context& cx, const Program& program) const;
};

struct GroupChannels {
  static constexpr const char* kName = "group_channels";
  std::string rows, outer;  // the slabs, and the output channels that they share out
  CAMBIUM_FIELDS(f("rows", s.rows), f("outer", s.outer))
  Result<NeuralApplied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule

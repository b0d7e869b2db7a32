// The neural transformations of NAS-PTE. They change what is computed, so only an evaluator can
// accept the result. docs/neural.md explains them; schedule/neural/nest_contraction.h tells how the
// accesses determine the roles of loops. Each acts on one sum of products with a constant,
//   y[n, co, oh, ow] += x[n, ci, s*oh + kh, s*ow + kw] * w[co, ci, kh, kw]
// whose loops may have been split, reordered and partitioned before, and keeps the shapes of
// inputs.
//
// Weights always have exactly the shape that is read. A block that reads only a part of them (after
// Partition) moves that part into its own parameter: `w` loses it, and `w.2`, placed directly after
// `w`, is reported as an InterfaceChange from 0 to its size in every dimension.
//
// All refuse UnknownName; NotAContraction, naming the obstacle (a predicate, a loop shared with
// another block, no constant factor ...); NotOutermost or NotNested unless the named loops are the
// outermost of the nest in that order (loops of one iteration do not count); NotDivisible; and
// BadFactors for numbers without meaning.
#pragma once

#include "schedule/steps/applied.h"

namespace cambium::schedule {

// The loop runs over extent/factor only. What follows depends on what it counts:
//   output channels  the first 1/factor of them is computed. y becomes shorter, and with it
//                    everything along that dimension: elementwise consumers, biases, the weights
//                    of a contraction that reads it. Refuses ChangesInterface when that reaches an
//                    output and `accept` is not set, or an input; NotConsumer when a block reads y
//                    in another way (schedule/neural/narrow.h).
//   input channels   the first 1/factor of them is read; w loses the rest. Kernel taps likewise.
//   rows, columns    every factor-th is computed and stands for those that follow it: consumers in
//                    the program read y[oh / factor]; an output gets its shape back from a new
//                    block, and then makes: that block, the local that it repeats, its loops.
// A loop that was split counts the digits of its part: bottleneck of co.1 keeps, for each co.0, the
// first of co.1.
struct Bottleneck {
  static constexpr const char* kName = "bottleneck";
  std::string loop;
  std::int64_t factor = 2;
  bool accept = false;
  CAMBIUM_FIELDS(f("loop", s.loop), f("factor", s.factor), f("accept", s.accept))
  Result<NeuralApplied> apply(Context& cx, const Program& program) const;
};

// Output channels `outer` and input channels `inner` are sliced together:
//   for co, ci: y[co] += x[ci] * w[co, ci]
//   for g in factor, co, ci: y[Co/factor*g + co] += x[skip + Ci'/factor*g + ci] * w[.., ci]
// where Ci' = Ci - skip: the first `skip` input channels are left to a part that was peeled off
// before. w keeps Ci'/factor input channels. Makes the loop over the groups.
struct Group {
  static constexpr const char* kName = "group";
  std::string outer, inner;
  std::int64_t factor = 2;
  std::int64_t skip = 0;
  CAMBIUM_FIELDS(f("outer", s.outer), f("inner", s.inner), f("factor", s.factor), f("skip", s.skip))
  Result<NeuralApplied> apply(Context& cx, const Program& program) const;
};

// Group in which each channel is its own group. The two loops, which would have one iteration, are
// removed. Refuses NotDivisible unless there are as many outputs as inputs. Makes the loop over the
// channels.
struct Depthwise {
  static constexpr const char* kName = "depthwise";
  std::string outer, inner;
  CAMBIUM_FIELDS(f("outer", s.outer), f("inner", s.inner))
  Result<NeuralApplied> apply(Context& cx, const Program& program) const;
};

// The paper's sequence 1 as its authors' release implements it: `rows` counts slabs of rows (the
// outer loop of a split). Each slab has its own weights, and x is 0 beyond the border of the slab.
// Dimension 0 of w holds the weights of the slabs one after the other. Refuses NotAContraction
// unless the slabs of output rows step over all rows of x.
struct GroupSlabs {
  static constexpr const char* kName = "group_slabs";
  std::string rows;
  CAMBIUM_FIELDS(f("rows", s.rows))
  Result<NeuralApplied> apply(Context& cx, const Program& program) const;
};

// The paper's sequence 1 taken literally: a group of the two outer loops, which are slabs of rows
// and output channels. Slab g computes only the g-th slice of the channels. A block before it sets
// all other elements to 0. w keeps its shape. Makes that block, then its loops.
struct GroupChannels {
  static constexpr const char* kName = "group_channels";
  std::string rows, outer;
  CAMBIUM_FIELDS(f("rows", s.rows), f("outer", s.outer))
  Result<NeuralApplied> apply(Context& cx, const Program& program) const;
};

// Splits one sum into two, with a local between them that has as few channels as possible. The
// first sums over the loops `first`, the second over the others. If `first` has all loops over
// input channels, the weights of the second have no input channels:
//   y[co, oh, ow] += x[ci, oh + kh, ow + kw] * w[co, ci, kh, kw]
//   first: [ci]       m[co, h, w] += x[ci, h, w] * w[co, ci]              pointwise, then
//                     y[co, oh, ow] += m[co, oh + kh, ow + kw] * w.2[co, kh, kw]    depthwise
//   first: [ci, kh]   rows of the kernel, then columns
// If `first` has none of them, the first sum keeps the channels of x:
//   first: [kh, kw]   m[ci, oh, ow] += x[ci, oh + kh, ow + kw] * w[ci, kh, kw]      depthwise, then
//                     y[co, oh, ow] += m[ci, oh, ow] * w.2[co, ci]        pointwise
// `mixes`: the second sum also runs over all output channels (of the group) of the first. The
// stride and padding of a dimension belong to the sum that has its taps. Both weights keep the rank
// of w, with size 1 in dimensions that they lack. Makes the block of the first sum, the local, and
// the loops of the block. Refuses NotAContraction if x is read under a condition, or if other
// blocks read the padding; BadFactors if one of the sums is empty.
struct Separate {
  static constexpr const char* kName = "separate";
  Names first;
  bool mixes = false;
  CAMBIUM_FIELDS(f("first", s.first), f("mixes", s.mixes))
  Result<NeuralApplied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule

// The neural transformations of NAS-PTE: they change what is computed, so only an evaluator's word
// makes them legal. docs/neural.md explains them; schedule/neural_contraction.h tells how the roles
// of loops are read off the accesses. Each acts on one sum of products with a constant,
//   y[n, co, oh, ow] += x[n, ci, s*oh + kh, s*ow + kw] * w[co, ci, kh, kw]
// whose loops may have been split, reordered and partitioned before, and keeps the shapes of
// inputs.
//
// Weights always have the shape of what is read of them. A block that reads only a part of them
// (after Partition) takes that part with it into a parameter of its own: `w` loses it, `w.2`, which
// stands right behind `w`, is told as an InterfaceChange from 0 to its size in every dimension.
//
// All refuse UnknownName, NotAContraction (with what is in the way: a predicate, a loop shared with
// another block, no constant factor ...), NotOutermost or NotNested unless the named loops are the
// outermost of the nest in that order (loops of one iteration do not count), NotDivisible, and
// BadFactors for numbers that mean nothing.
#pragma once

#include "schedule/applied.h"

namespace cambium::schedule {

// The loop runs over extent/factor only. What follows depends on what it counts:
//   output channels  the first 1/factor of them is computed. y becomes shorter, and with it all
//   that
//                    runs along that dimension: elementwise consumers, biases, the weights of a
//                    contraction that reads it. Refuses ChangesInterface when that reaches an
//                    output and `accept` is not set, or an input; NotConsumer when a block reads y
//                    in another way (schedule/neural_narrow.h).
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

// Group with each channel its own group; the two loops, then of one iteration, are gone. Refuses
// NotDivisible unless there are as many outputs as inputs. Makes the loop over the channels.
struct Depthwise {
  static constexpr const char* kName = "depthwise";
  std::string outer, inner;
  CAMBIUM_FIELDS(f("outer", s.outer), f("inner", s.inner))
  Result<NeuralApplied> apply(Context& cx, const Program& program) const;
};

// The paper's sequence 1 as its authors' release reads it: `rows` counts slabs of rows (the outer
// loop of a split), each slab has weights of its own, and beyond the slab's border x is 0.
// Dimension 0 of w gets as many times longer as there are slabs, one slab's weights after the
// other. Refuses NotAContraction unless the slabs of output rows step over all rows of x.
struct GroupSlabs {
  static constexpr const char* kName = "group_slabs";
  std::string rows;
  CAMBIUM_FIELDS(f("rows", s.rows))
  Result<NeuralApplied> apply(Context& cx, const Program& program) const;
};

// The paper's sequence 1 by the letter: group of the two outer loops, which are slabs of rows and
// output channels. Slab g computes the g-th slice of the channels; the others keep their initial
// value 0 there, which a block before stores. w keeps its shape. Makes that block, then its loops.
struct GroupChannels {
  static constexpr const char* kName = "group_channels";
  std::string rows, outer;
  CAMBIUM_FIELDS(f("rows", s.rows), f("outer", s.outer))
  Result<NeuralApplied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule

// Contraction: a neural step's view of the nest that it changes,
//   target[...] += x[...] * weights[...]
// The accesses determine the role of each loop; its name does not matter. Refuses NotAContraction.
#pragma once

#include <string_view>
#include <vector>

#include "schedule/neural/program_edit.h"

namespace cambium::schedule::neural {

enum class LoopRole : std::uint8_t {
  Out,    // kept, in the weights: an output channel, or a group of them
  Pixel,  // kept, not in the weights: a row, a column, the batch
  In,     // reduced, in the weights and in x, alone there: an input channel
  Tap,    // reduced, in the weights, and in x beside a pixel: a place of the kernel
  Other,
};

struct Contraction {
  const program::Block* block = nullptr;
  Nest* nest = nullptr;
  const Buffer* x = nullptr;
  const Buffer* weights = nullptr;

  Indices x_at() const { return *nest->read_of(x); }
  Indices weights_at() const { return *nest->read_of(weights); }
  bool in_x(Expr iterator) const;
  bool in_weights(Expr iterator) const;
  LoopRole role_of(const NestAxis& axis) const;
};

Result<Contraction> contraction_of(Draft& draft, const program::Block* block);
// The contraction around which the loop stands. Refuses UnknownName, too.
Result<Contraction> contraction_at(Draft& draft, std::string_view loop);

// Refuses NotNested unless these are loops of the nest, and NotOutermost unless they are its
// outermost ones, in this order; loops of one iteration do not count.
Status are_outermost(const Contraction& contraction, const Names& loops);

Rejection not_a_contraction(const Contraction& contraction, std::string why);

// Makes the weights belong to this block alone and be read in full, so that their shape may change:
// a block that reads a part of them (after Partition) takes that part with it as a parameter of its
// own, which leaves the rest to the others.
Status own_weights(Draft& draft, Contraction& contraction);

// Resizes a loop of a contraction whose weights it owns: they keep the places that are still read,
// moved together.
void resize_in_weights(Draft& draft, Contraction& contraction, NestAxis& axis, std::int64_t extent);

// Where the iterator stands in the target: one dimension, which the block alone writes and in full.
// Refuses NotAContraction.
Result<std::size_t> owned_dimension(const Draft& draft, const Contraction& contraction,
                                    Expr iterator);

}  // namespace cambium::schedule::neural

// Contraction: how a neural step sees the nest that it changes,
//   target[...] += x[...] * weights[...]
// The accesses determine the role of each loop; its name does not matter. Refuses NotAContraction.
#pragma once

#include <string_view>
#include <vector>

#include "schedule/neural/program_edit.h"

namespace cambium::schedule::neural {

enum class LoopRole : std::uint8_t {
  Out,    // kept, indexes the weights: an output channel, or a group of output channels
  Pixel,  // kept, does not index the weights: a row, a column, the batch
  In,     // reduced, indexes the weights, and a dimension of x by itself: an input channel
  Tap,    // reduced, indexes the weights, and x together with a pixel: a tap of the kernel
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
// The contraction inside this loop. Also refuses UnknownName.
Result<Contraction> contraction_at(Draft& draft, std::string_view loop);

// Refuses NotNested unless these are loops of the nest, and NotOutermost unless they are its
// outermost loops in this order. Loops of one iteration do not count.
Status are_outermost(const Contraction& contraction, const Names& loops);

Rejection not_a_contraction(const Contraction& contraction, std::string why);

// Gives the block its own weights, which it reads in full, so that their shape may change. If the
// block reads only a part of a parameter (after Partition), this part becomes a new parameter, and
// the rest stays for the other blocks.
Status own_weights(Draft& draft, Contraction& contraction);

// Resizes a loop of a contraction that owns its weights. The weights keep the elements that are
// still read, without gaps. Refuses NotAContraction.
Status resize_in_weights(Draft& draft, Contraction& contraction, NestAxis& axis,
                         std::int64_t extent);

// The dimension of the target that the iterator indexes. The block must be the only writer of the
// target and write this dimension in full. Refuses NotAContraction.
Result<std::size_t> owned_dimension(const Draft& draft, const Contraction& contraction,
                                    Expr iterator);

}  // namespace cambium::schedule::neural

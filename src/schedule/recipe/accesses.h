// Accesses: where a normalized sum of products reads and writes, over the iterators of its loops.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/context.h"
#include "program/program.h"

namespace cambium::schedule {

struct Accesses {
  std::string_view block;
  std::vector<program::Iterator> iterators;
  const program::Buffer *y = nullptr, *x = nullptr, *weights = nullptr;
  std::vector<program::Expr> y_at, x_at, weights_at;
  std::vector<program::Expr> conditions;  // of selects
};

Accesses accesses_of(const program::Block& block);

// Everything as text, but no names of buffers. Equal texts on the same buffers: the same
// multiply-adds with the same elements of the weights.
std::string text_of(program::Context& cx, const Accesses& accesses);

// The sum that these are parts of, as a partition makes them: they differ in the range of one loop
// alone, and the range of the first ends where that of the second begins. Nothing: they are none.
std::optional<Accesses> joined(program::Context& cx, const Accesses& first, const Accesses& second);

// Whether both may read one element of the same constant.
bool share_weights(const Accesses& a, const Accesses& b);

// Whether which multiply-adds share an element of the weights follows from what else is known of
// the nest. That is so where each pair of channels and each tap has an element of its own, the same
// at all places. Slabs may have their own: then the first digits of the rows count slabs with
// weights of their own, then slabs that share out the output channels in order, then rows.
bool have_usual_weights(program::Context& cx, const Accesses& accesses);

}  // namespace cambium::schedule

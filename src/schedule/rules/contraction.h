// Classifies a reduction by its accesses. In a contraction, one operand moves with the lanes of the
// result and the other with its rows (matrix products, convolutions). In a window, everything moves
// with the lanes (depthwise convolutions, pooling, sums over rows).
#pragma once

#include <optional>
#include <vector>

#include "program/analysis.h"

namespace cambium::schedule {

// t[..., row, ..., lane] += left[..., row, k] * right[k, lane], or select(condition, product, 0.0)
// in place of the product. Members are positions of iterators.
struct Contraction {
  program::Scalar left = nullptr, right = nullptr;  // loads
  std::size_t lane = 0;            // occurs in the target, with stride 1, and in right only
  std::vector<std::size_t> rows;   // occur in the target and in left only
  std::vector<std::size_t> batch;  // other spatial iterators: loops around the tile
  std::vector<std::size_t> reduce;
};

// The condition of a body that adds select(condition, value, 0.0); nullptr: there is none.
program::Expr condition_of(const program::Body& body);

// Nothing if the body is not a sum of products of two loads, or has no such lane.
std::optional<Contraction> contraction_of(const program::Body& body);

}  // namespace cambium::schedule

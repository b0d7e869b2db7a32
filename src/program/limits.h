// Limits on buffers, loops and indices, so that sizes, strides and their sums fit 64 bits. Checked
// by the parser, and by steps that make buffers and indices from the numbers of a trace.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "expr/node.h"

namespace cambium::program {

// Elements of a buffer, iterations of a loop.
inline constexpr std::int64_t kLargestExtent = std::int64_t{1} << 40;

// Checks whether a buffer of these positive dimensions is allowed. Refuses BufferTooLarge.
inline Status check_dims(std::span<const std::int64_t> dims) {
  std::int64_t elements = 1;
  for (const std::int64_t dim : dims) {
    if (dim > kLargestExtent / elements) {
      return Rejection(Reason::BufferTooLarge, dim, kLargestExtent);
    }
    elements *= dim;
  }
  return Ok{};
}

// Whether all parts of an expression fit 64 bits for all values of its axes. Evaluating it checks
// only the range of the whole.
inline bool is_finite(expr::Expr e) {
  constexpr std::int64_t kInfinity = expr::Interval::kInfinity;
  if (e == nullptr) return true;
  return e->range.lo > -kInfinity && e->range.hi < kInfinity && is_finite(e->a) && is_finite(e->b);
}

}  // namespace cambium::program

// Separates the iterators of an index in which they are digits of one number, as in 32*g + oc.
// Groups and phases share a dimension of a buffer this way.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "schedule/steps/applied.h"

namespace cambium::schedule {

struct Digit {
  program::Expr axis;
  std::int64_t stride;
  std::int64_t extent;
};

// The digits of an index, largest stride first. Each stride is the product of the extents after it;
// the last stride is 1. Nothing if the index is not such a number.
std::optional<std::vector<Digit>> digits_of(program::Expr index);

// Layouts (schedule/steps/set_layout.h) of a buffer with such indices: `apart` has a dimension for
// each digit ("d3 / 32", "d3 % 32"), and `together` reverses it ("32*d3 + 1*d4").
struct DigitDims {
  Names apart, together;
  bool changes = false;  // some index has several digits
};
DigitDims digit_dims(std::span<const program::Expr> indices);

}  // namespace cambium::schedule

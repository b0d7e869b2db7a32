// Indices that hold several iterators as digits of one number, as in 32*g + oc. Groups and phases
// share a dimension of a buffer this way; these functions separate them again.
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

// Largest stride first, each stride the product of the extents after it, the last one 1. Nothing
// when the index is no such number.
std::optional<std::vector<Digit>> digits_of(program::Expr index);

// Layouts (schedule/steps/set_layout.h) of a buffer that is indexed so: with a dimension for each
// digit
// ("d3 / 32", "d3 % 32"), and from there back ("32*d3 + 1*d4").
struct DigitDims {
  Names apart, together;
  bool changes = false;  // some index has several digits
};
DigitDims digit_dims(std::span<const program::Expr> indices);

}  // namespace cambium::schedule

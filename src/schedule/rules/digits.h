// Indices that hold several iterators as digits of one number: 32*g + oc. How groups and phases
// stand in one dimension of a buffer, and how they are told apart again.
#pragma once

#include <optional>
#include <vector>

#include "schedule/applied.h"

namespace cambium::schedule {

struct Digit {
  program::Expr axis;
  std::int64_t stride;
  std::int64_t extent;
};

// Largest stride first, each stride the product of the extents after it, the last one 1. Nothing
// when the index is no such number.
std::optional<std::vector<Digit>> digits_of(program::Expr index);

// The digits of dimension `d` as layouts write them (schedule/set_layout.h): "d3 / 32", "d3 % 32".
Names digits_apart(std::size_t d, const std::vector<Digit>& digits);

}  // namespace cambium::schedule

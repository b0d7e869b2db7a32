// Digits: an axis that is used only as i/64 and i % 64 behaves like two independent axes. With
// digits, packed layouts and fused loops are decided without visiting their points.
#pragma once

#include <span>
#include <vector>

#include "program/context.h"

namespace cambium::program {

struct Digits {
  std::vector<Expr> axes;  // the given axes, each replaced by its digits if it has digits
  std::vector<Expr> all;   // the expressions over these axes; changed ones are simplified
};

// An axis has digits if all divisors in its uses (i/c, i % c, i/c % m) divide one another and its
// extent. Together, the digits then take exactly the values of the axis.
Digits split_digits(Context& cx, std::span<const Expr> axes, std::span<const Expr> all);

}  // namespace cambium::program

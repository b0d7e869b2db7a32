// Digits: an axis that is used only as i/64 and i % 64 behaves like two independent axes. This
// decides packed layouts and fused loops without looking at their points.
#pragma once

#include <span>
#include <vector>

#include "program/context.h"

namespace cambium::program {

struct Digits {
  std::vector<Expr> axes;  // those given, each that comes apart replaced by its digits
  std::vector<Expr> all;   // the expressions over them, simplified where that changed something
};

// An axis comes apart where all that divides it (i/c, i % c, i/c % m) divides one another and its
// extent; the digits take together exactly the values of the axis.
Digits split_digits(Context& cx, std::span<const Expr> axes, std::span<const Expr> all);

}  // namespace cambium::program

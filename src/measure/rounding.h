// How far rounding may move a number: a first-order running error analysis. Every operation passes
// on the errors of its operands and adds its own. Where a function jumps and the operand may lie on
// either side, the jump is part of the bound.
//
// Sums. Adding n terms in any order with unit roundoff u is off by at most n u sum|terms|, which no
// real kernel comes near; with independent rounding errors it is off by more than L sqrt(n) u
// sum|terms| with probability 2 exp(-L^2 / 2) (Higham and Mary, 2019). We take L = 3 and the
// smaller of the two: vectorized and tiled sums are far better than that, and dropping or doubling
// one term of thousands still shows.
#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "program/functions.h"

namespace cambium::measure {

// A number and how far from it a kernel's may be.
struct Estimate {
  double value = 0;
  double error = 0;
};

double unit_roundoff(DType type);       // 0 of whole numbers
double sum_growth(std::int64_t terms);  // times u sum|terms|
Estimate rounded(program::UnaryFn fn, Estimate a, double value, double u);
Estimate rounded(program::BinaryFn fn, Estimate a, Estimate b, double value, double u);

}  // namespace cambium::measure

// Bounds rounding errors by a first-order running error analysis. Every operation passes on the
// errors of its operands and adds its own. If a function jumps and the operand may lie on either
// side of the jump, the jump is part of the bound.
//
// Sums. A sum of n terms in any order with unit roundoff u has an error of at most n u sum|terms|.
// No real kernel comes near that. With independent rounding errors, the error exceeds L sqrt(n) u
// sum|terms| with probability 2 exp(-L^2 / 2) (Higham and Mary, 2019). We use the smaller of the
// two bounds, with L = 3. Vectorized and tiled sums are far more accurate, and the bound still
// detects one dropped or doubled term among thousands.
#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "program/functions.h"

namespace cambium::measure {

// A number, and how far the kernel's result may be from it.
struct Estimate {
  double value = 0;
  double error = 0;
};

double unit_roundoff(DType type);       // 0 for whole numbers
double sum_growth(std::int64_t terms);  // times u sum|terms|
Estimate rounded(program::UnaryFn fn, Estimate a, double value, double u);
Estimate rounded(program::BinaryFn fn, Estimate a, Estimate b, double value, double u);

}  // namespace cambium::measure

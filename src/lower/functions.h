// The functions of model/elementwise.h, expressed in functions of programs. They agree with the
// reference executor to a few units in the last place, and propagate NaN as it does.
#pragma once

#include "lower/emit.h"

namespace cambium::lower {

// Whole numbers support Relu, Abs, Neg and Sign; bool supports Not.
Val unary(model::UnaryFn fn, Val x);
// For elements of type `dtype`; the limits of Clip are rounded to it.
Val activation(const Site& site, const model::Activation& op, DType dtype, Val x);
// Operands must have one type, except for Pow.
Val binary(model::BinaryFn fn, Val a, Val b);

}  // namespace cambium::lower

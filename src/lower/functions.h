// The functions of model/elementwise.h in terms of those of programs, accurate to a few units in
// the last place of the reference executor. NaN passes through as it does there.
#pragma once

#include "lower/emit.h"

namespace cambium::lower {

// Whole numbers have Relu, Abs, Neg and Sign, bool has Not.
Val unary(model::UnaryFn fn, Val x);
// Elements of type `dtype`, to which the limits of Clip are rounded.
Val activation(const Site& site, const model::Activation& op, DType dtype, Val x);
// All but Pow: operands of one type.
Val binary(model::BinaryFn fn, Val a, Val b);

}  // namespace cambium::lower

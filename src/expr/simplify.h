// simplify: applies the rules of rules/ to an expression until none applies. The result resembles
// what a person would write. The result is equal wherever the axes are in range (and, in a context
// with bindings, for the sizes of each binding). An expression that is already simple comes back as
// the same node without allocation. Lowering, scheduling and the spaces call it on every index.
//
// Sizes stay symbolic: a divisor is any positive constant. c divides a term if the quotient of the
// two monomials is an integer for all sizes, or in every binding.
#pragma once

#include "expr/context.h"

namespace cambium::expr {

Expr simplify(Context& cx, Expr e);

}  // namespace cambium::expr

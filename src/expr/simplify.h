// simplify: applies the rules of rules/ to an expression until none applies, which gives the form
// that a person would write. The result is equal wherever the axes are in range (and, in a context
// with bindings, for the sizes of each binding). An expression that is already simple comes back as
// the same node without allocation. Lowering, scheduling and the spaces call it on every index.
//
// Sizes in it stay symbolic: a divisor is any positive constant, and c divides a term when the
// quotient of the two monomials is an integer whatever the sizes are, or in every binding.
#pragma once

#include "expr/context.h"

namespace cambium::expr {

Expr simplify(Context& cx, Expr e);

}  // namespace cambium::expr

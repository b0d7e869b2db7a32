// simplify: the form of an expression that a person would write, by the rules of rules/ applied to
// a fixpoint. Equal wherever the axes are in range (and, in a context with bindings, the sizes are
// one of them). An expression that is simple already comes back as the same node, and nothing is
// allocated. Lowering, scheduling and the spaces call it on every index they make.
//
// Sizes in it stay symbolic: a divisor is any positive constant, and c divides a term when the
// quotient of the two monomials is an integer whatever the sizes are, or in every binding.
#pragma once

#include "expr/context.h"

namespace cambium::expr {

Expr simplify(Context& cx, Expr e);

}  // namespace cambium::expr

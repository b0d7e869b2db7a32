// Replaces axes by expressions, all at once. A schedule turns i into i.o*4 + i.i this way. An
// expression without these axes comes back as the same node. Nothing is simplified.
#pragma once

#include <span>

#include "expr/context.h"

namespace cambium::expr {

struct Replacement {
  Expr axis;
  Expr by;
};

Expr substitute(Context& cx, Expr e, std::span<const Replacement> replacements);

}  // namespace cambium::expr

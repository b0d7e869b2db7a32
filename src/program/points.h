// Finds the point of a block that touches a given element, by reading its indices backwards. The
// verifier uses this to see that an element was written, and steps use it to move a block to where
// its elements are needed.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "program/context.h"

namespace cambium::program {

// The point at which `pattern`, which is over the iterators, becomes `at`: one expression per
// iterator, over what `at` is over, or nullptr where the pattern does not depend on it. Nothing
// when none is found. With t[p/16, p % 16] written and t[0, j] read, p is 16*0 + j.
std::optional<std::vector<Expr>> point_at(Context& cx, std::span<const Iterator> iterators,
                                          std::span<const Expr> pattern, std::span<const Expr> at);

}  // namespace cambium::program

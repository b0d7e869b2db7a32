// Finds the point of a block that touches a given element, by reading its indices backwards. The
// verifier uses this to prove that an element was written. Steps use it to move a block to where
// its elements are needed.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "program/context.h"

namespace cambium::program {

// Finds the point at which `pattern`, an expression over the iterators, equals `at`: one expression
// per iterator in terms of `at`, or nullptr if the pattern does not depend on the iterator. Nothing
// if no point is found. If t[p/16, p % 16] is written and t[0, j] is read, p is 16*0 + j.
std::optional<std::vector<Expr>> point_at(Context& cx, std::span<const Iterator> iterators,
                                          std::span<const Expr> pattern, std::span<const Expr> at);

}  // namespace cambium::program

// Index expressions as text and back: `4*io + ii < N`, `(i*W + j)/[Ci/g]`, `max(i - 1, 0)`. Parsing
// printed text gives the same node. Refuses BadSyntax, UnknownName, AmbiguousName (several axes
// that differ only in extent), NotQuasiAffine (a product of two variables, or a divisor that is not
// a positive constant), WrongOperand and TooDeep.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "expr/context.h"

namespace cambium::expr {

// `/` is floor division; the exact quotient of sizes stands in brackets: [Ci/g].
std::string print(const Context& cx, Expr e);

// Names are axes and sizes of the context. `x <= y`, `x > y`, `x >= y` and `x != y` become
// equivalent nodes.
Result<Expr> parse(Context& cx, std::string_view text);
// The same, with `meaning` for names that are not sizes; nullptr means unknown. For rules.
using NameMeaning = std::function<Expr(std::string_view)>;
Result<Expr> parse(Context& cx, std::string_view text, const NameMeaning& meaning);

}  // namespace cambium::expr

// The order that proves that simplification ends: every rule makes an expression smaller in it. The
// weight of a node is a linear function of the weights of its operands. The pattern of a row weighs
// more than its result, whatever its variables weigh. Used by tests; docs/decisions says why these
// numbers were chosen.
#pragma once

#include <cstdint>
#include <map>

#include "expr/rule_set.h"

namespace cambium::expr {

struct Weight {
  std::int64_t constant = 0;
  std::map<std::string_view, std::int64_t> variables;  // each weighs at least one
};

// `y_is_nothing`: for a sum that is split into c*m + y, with an empty y.
Weight weight_of(Expr pattern, bool y_is_nothing = false);
// Whether a > b for all weights of the variables.
bool outweighs(const Weight& a, const Weight& b);

}  // namespace cambium::expr

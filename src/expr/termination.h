// The order in which every rule goes down, so that simplification ends: each node weighs a linear
// function of its operands, and the pattern of a row weighs more than its result whatever its
// variables weigh. Used by tests; docs/decisions says why these numbers.
#pragma once

#include <cstdint>
#include <map>

#include "expr/rule_set.h"

namespace cambium::expr {

struct Weight {
  std::int64_t constant = 0;
  std::map<std::string_view, std::int64_t> variables;  // each weighs at least one
};

// `y_is_nothing`: a sum taken apart as c*m + y may leave no y.
Weight weight_of(Expr pattern, bool y_is_nothing = false);
// a > b whatever the variables weigh.
bool outweighs(const Weight& a, const Weight& b);

}  // namespace cambium::expr

// Equality. Sides that differ by nothing, or by a number, are decided without a rule.
#include "expr/rules/rule.h"

namespace cambium::expr {
namespace {

// clang-format off
constexpr Rule kEqualRules[] = {
  {"equal-never",            "x == y",                         "false",            "x < y"},
  {"equal-by-digits",        "c*m + y == 0",                   "m == 0 && y == 0", "-c < y && y < c"},
};
// clang-format on

}  // namespace

RuleGroup equal_rules() {
  return {Kind::Equal, kEqualRules};
}

}  // namespace cambium::expr

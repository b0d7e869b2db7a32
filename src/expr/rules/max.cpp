// The greater of two.
#include "expr/rules/rule.h"

namespace cambium::expr {
namespace {

// clang-format off
constexpr Rule kMaxRules[] = {
  {"max-is-greater",         "max(x, y)",                      "x",                "y <= x"},
  {"max-of-own-min",         "max(min(x, y), x)",              "x",                ""},
  {"max-of-max-below",       "max(max(x, y), z)",              "max(x, y)",        "z <= x"},
  {"max-of-max-above",       "max(max(x, y), z)",              "max(y, z)",        "x <= z"},
};
// clang-format on

}  // namespace

RuleGroup max_rules() {
  return {Kind::Max, kMaxRules};
}

}  // namespace cambium::expr

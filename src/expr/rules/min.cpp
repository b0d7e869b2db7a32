// The lesser of two.
#include "expr/rules/rule.h"

namespace cambium::expr {
namespace {

// clang-format off
constexpr Rule kMinRules[] = {
  {"min-is-lesser",         "min(x, y)",                      "x",                "x <= y"},
  {"min-of-own-max",         "min(max(x, y), x)",              "x",                ""},
  {"min-of-min-above",       "min(min(x, y), z)",              "min(x, y)",        "x <= z"},
  {"min-of-min-below",       "min(min(x, y), z)",              "min(y, z)",        "z <= x"},
};
// clang-format on

}  // namespace

RuleGroup min_rules() {
  return {Kind::Min, kMinRules};
}

}  // namespace cambium::expr

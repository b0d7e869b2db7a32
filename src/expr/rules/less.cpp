// Comparisons, brought to the form in which all coefficients are positive.
#include "expr/rules/rule.h"

namespace cambium::expr {
namespace {

// clang-format off
constexpr Rule kLessRules[] = {
  {"less-is-true",           "x < y",                          "true",             "x < y"},
  {"less-is-false",          "x < y",                          "false",            "y <= x"},
  {"less-drops-remainder",   "c*m + y < 0",                    "m < 0",            "0 <= y && y < c"},
  {"less-of-div",            "x/c < b",                        "x < b*c",          "c > 0"},
  {"less-than-div",          "b < x/c",                        "b*c + c - 1 < x",  "c > 0"},
};
// clang-format on

}  // namespace

RuleGroup less_rules() {
  return {Kind::Less, kLessRules};
}

}  // namespace cambium::expr

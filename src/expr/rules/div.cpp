// Floor division by a positive constant.
#include "expr/rules/rule.h"

namespace cambium::expr {
namespace {

// clang-format off
constexpr Rule kDivRules[] = {
  {"div-by-one",             "x/1",                            "x",                ""},
  {"div-of-less",            "x/c",                            "0",                "0 <= x && x < c"},
  {"div-of-just-below",      "x/c",                            "-1",               "-c <= x && x < 0"},
  {"div-splits-multiples",   "(c*m + y)/c",                    "m + y/c",          "c > 0"},
  {"div-drops-remainder",    "(c*m + y)/(b*c)",                "m/b",              "b > 0 && 0 <= y && y < c"},
  {"div-of-div",             "(x/a)/b",                        "x/(a*b)",          "a > 0 && b > 0"},
  {"div-of-mod",             "(x % (b*c))/c",                  "x/c % b",          "b > 0 && c > 0", Proof::Bounded},
};
// clang-format on

}  // namespace

RuleGroup div_rules() {
  return {Kind::Div, kDivRules};
}

}  // namespace cambium::expr

// Terms of a sum that belong together. Collecting like terms and multiplying constants into sums is
// the normal form of Linear, not a rule, so products have no file.
#include "expr/rules/rule.h"

namespace cambium::expr {
namespace {

// clang-format off
constexpr Rule kAddRules[] = {
  {"div-and-mod-to-whole",   "x % c + c*(x/c)",                "x",                "c > 0"},
  {"digits-to-div",          "x/a % c + c*(x/(a*c))",          "x/a",              "a > 0 && c > 0"},
  {"digits-to-mod",          "x % c + c*(x/c % b)",            "x % (b*c)",        "b > 0 && c > 0", Proof::Bounded},
  {"minus-div-to-mod",       "c*(x/c) - x",                    "-(x % c)",         "c > 0"},
  {"mod-minus-whole-to-div", "x % c - x",                      "-c*(x/c)",         "c > 0"},
  {"min-and-max-to-both",    "min(x, y) + max(x, y)",          "x + y",            ""},
};
// clang-format on

}  // namespace

RuleGroup add_rules() {
  return {Kind::Add, kAddRules};
}

}  // namespace cambium::expr

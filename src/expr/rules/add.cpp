// Terms of a sum that belong together. Collecting like terms and multiplying constants into sums is
// the normal form of Linear, not a rule, so products have no file.
#include "expr/rules/rule.h"

namespace cambium::expr {
namespace {

// clang-format off
constexpr Rule kRules[] = {
  {"div-and-mod-to-whole",   "d*(x % c) + c*d*(x/c)",          "d*x",              "c > 0"},
  {"digits-to-div",          "d*(x/a % c) + c*d*(x/(a*c))",    "d*(x/a)",          "a > 0 && c > 0"},
  {"digits-to-digit",        "d*(x/a % c) + c*d*(x/(a*c) % b)", "d*(x/a % (b*c))", "a > 0 && b > 0 && c > 0"},
  {"digits-to-mod",          "d*(x % c) + c*d*(x/c % b)",      "d*(x % (b*c))",    "b > 0 && c > 0"},
  {"minus-div-to-mod",       "c*d*(x/c) - d*x",                "-d*(x % c)",       "c > 0"},
  {"mod-minus-whole-to-div", "d*(x % c) - d*x",                "-c*d*(x/c)",       "c > 0"},
  {"min-and-max-to-both",    "d*min(x, y) + d*max(x, y)",      "d*x + d*y",        ""},
};
// clang-format on

}  // namespace

RuleGroup add_rules() {
  return {Kind::Add, kRules};
}

}  // namespace cambium::expr

// Remainders by a positive constant.
#include "expr/rules/rule.h"

namespace cambium::expr {
namespace {

// clang-format off
constexpr Rule kModRules[] = {
  {"mod-by-one",             "x % 1",                          "0",                ""},
  {"mod-of-less",            "x % c",                          "x",                "0 <= x && x < c"},
  {"mod-drops-multiples",    "(c*m + y) % c",                  "y % c",            "c > 0", Proof::Bounded},
  {"mod-keeps-remainder",    "(c*m + y) % (b*c)",              "c*(m % b) + y",    "b > 0 && 0 <= y && y < c", Proof::Bounded},
  {"mod-of-mod",             "(d*(x % (b*c)) + y) % c",        "(d*x + y) % c",    "b > 0 && c > 0", Proof::Bounded},
  {"mod-of-multiple",        "x % c",                          "0",                "c > 0 && x % c == 0"},
};
// clang-format on

}  // namespace

RuleGroup mod_rules() {
  return {Kind::Mod, kModRules};
}

}  // namespace cambium::expr

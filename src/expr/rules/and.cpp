// Both of two predicates.
#include "expr/rules/rule.h"

namespace cambium::expr {
namespace {

// clang-format off
constexpr Rule kAndRules[] = {
  {"and-true",               "p && true",                      "p",                ""},
  {"and-false",              "p && false",                     "false",            ""},
  {"and-same",               "p && p",                         "p",                ""},
  {"and-same-inside",        "(p && q) && p",                  "p && q",           ""},
  {"and-opposite",           "p && !p",                        "false",            ""},
  {"and-own-or",             "(p || q) && p",                  "p",                ""},
  {"and-upper-bounds",       "x < y && x < z",                 "x < y",            "y <= z"},
  {"and-lower-bounds",       "y < x && z < x",                 "y < x",            "z <= y"},
  {"and-empty-range",        "x < y && z < x",                 "false",            "y <= z + 1"},
};
// clang-format on

}  // namespace

RuleGroup and_rules() {
  return {Kind::And, kAndRules};
}

}  // namespace cambium::expr

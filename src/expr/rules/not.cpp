// Negation, pushed inward until it meets an equality.
#include "expr/rules/rule.h"

namespace cambium::expr {
namespace {

// clang-format off
constexpr Rule kNotRules[] = {
  {"not-true",               "!true",                          "false",            ""},
  {"not-false",              "!false",                         "true",             ""},
  {"not-not",                "!!p",                            "p",                ""},
  {"not-less",               "!(x < y)",                       "y < x + 1",        ""},
  {"not-and",                "!(p && q)",                      "!p || !q",         ""},
  {"not-or",                 "!(p || q)",                      "!p && !q",         ""},
};
// clang-format on

}  // namespace

RuleGroup not_rules() {
  return {Kind::Not, kNotRules};
}

}  // namespace cambium::expr

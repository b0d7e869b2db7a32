// Either of two predicates.
#include "expr/rules/rule.h"

namespace cambium::expr {
namespace {

// clang-format off
constexpr Rule kOrRules[] = {
  {"or-false",               "p || false",                     "p",                ""},
  {"or-true",                "p || true",                      "true",             ""},
  {"or-same",                "p || p",                         "p",                ""},
  {"or-same-inside",         "(p || q) || p",                  "p || q",           ""},
  {"or-opposite",            "p || !p",                        "true",             ""},
  {"or-own-and",             "(p && q) || p",                  "p",                ""},
  {"or-upper-bounds",        "x < y || x < z",                 "x < z",            "y <= z"},
  {"or-lower-bounds",        "y < x || z < x",                 "z < x",            "z <= y"},
  {"or-full-range",          "x < y || z < x",                 "true",             "z < y"},
};
// clang-format on

}  // namespace

RuleGroup or_rules() {
  return {Kind::Or, kOrRules};
}

}  // namespace cambium::expr

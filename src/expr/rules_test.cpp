// Each row, by an example on which it fires; the order in which all go down; and their page.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "expr/expr_testing.h"
#include "expr/rule_set.h"
#include "expr/rules/rule.h"
#include "expr/rules_page.h"
#include "expr/termination.h"

namespace cambium::expr {
namespace {

struct Example {
  const char* rule;
  const char* text;
  const char* simple;
};

// clang-format off
constexpr Example kExamples[] = {
  {"div-and-mod-to-whole",   "3*(t % 7) + 21*(t/7)",        "3*t"},
  {"digits-to-div",          "t/4 % 8 + t/32*8",            "t/4"},
  {"digits-to-mod",          "t % 4 + t/4 % 8 * 4",         "t % 32"},
  {"minus-div-to-mod",       "t - 7*(t/7)",                 "t % 7"},
  {"mod-minus-whole-to-div", "t - t % 7 + u",               "7*(t/7) + u"},
  {"min-and-max-to-both",    "min(t, u) + max(t, u) - u",   "t"},
  {"div-by-one",             "t/1",                         "t"},
  {"div-of-less",            "j/W",                         "0"},
  {"div-of-just-below",      "(j - W)/W",                   "-1"},
  {"div-splits-multiples",   "(4*t + u)/4",                 "t + u/4"},
  {"div-drops-remainder",    "(4*t + ii)/16",               "t/4"},
  {"div-of-div",             "t/3/5",                       "t/15"},
  {"div-of-mod",             "t % 32 / 4",                  "t/4 % 8"},
  {"mod-by-one",             "i % 1",                       "0"},
  {"mod-of-less",            "j % W",                       "j"},
  {"mod-drops-multiples",    "(4*t + u) % 4",               "u % 4"},
  {"mod-keeps-remainder",    "(4*t + ii) % 32",             "4*(t % 8) + ii"},
  {"mod-of-mod",             "(3*(t % 32) + u) % 4",        "(3*t + u) % 4"},
  {"mod-of-multiple",        "min(4*t, 8*u) % 4",           "0"},
  {"min-is-lesser",          "min(t, t + u)",               "t"},
  {"min-of-own-max",         "min(max(t, u), t)",           "t"},
  {"min-of-min-above",       "min(min(t, u), t + v)",       "min(t, u)"},
  {"min-of-min-below",       "min(min(t + v, u), t)",       "min(t, u)"},
  {"max-is-greater",         "max(t, t + u)",               "t + u"},
  {"max-of-own-min",         "max(min(t, u), t)",           "t"},
  {"max-of-max-below",       "max(max(t + v, u), t)",       "max(u, t + v)"},
  {"max-of-max-above",       "max(max(t, u), t + v)",       "max(u, t + v)"},
  {"less-is-true",           "j < W",                       "true"},
  {"less-is-false",          "W < j + 1",                   "false"},
  {"less-drops-remainder",   "4*t + ii < 4*u",              "t < u"},
  {"less-of-div",            "t/7 < 3",                     "t < 21"},
  {"less-than-div",          "3 < t/7",                     "27 < t"},
  {"equal-never",            "i == H + v",                  "false"},
  {"equal-by-digits",        "4*t + ii == 10",              "t == 2 && ii == 2"},
  {"and-true",               "t < u && true",               "t < u"},
  {"and-false",              "t < u && false",              "false"},
  {"and-same",               "t < u && t < u",              "t < u"},
  {"and-same-inside",        "(t < u && u < v) && t < u",   "u < v && t < u"},
  {"and-opposite",           "t == u && t != u",            "false"},
  {"and-own-or",             "(t < u || u < v) && t < u",   "t < u"},
  {"and-upper-bounds",       "t < 5 && t < 9",              "t < 5"},
  {"and-lower-bounds",       "5 < t && 9 < t",              "9 < t"},
  {"and-empty-range",        "t < 5 && 4 < t",              "false"},
  {"or-false",               "t < u || false",              "t < u"},
  {"or-true",                "t < u || true",               "true"},
  {"or-same",                "t < u || t < u",              "t < u"},
  {"or-same-inside",         "(t < u || u < v) || t < u",   "u < v || t < u"},
  {"or-opposite",            "t == u || t != u",            "true"},
  {"or-own-and",             "(t < u && u < v) || t < u",   "t < u"},
  {"or-upper-bounds",        "t < 5 || t < 9",              "t < 9"},
  {"or-lower-bounds",        "5 < t || 9 < t",              "5 < t"},
  {"or-full-range",          "t < 5 || 4 < t",              "true"},
  {"not-true",               "!true",                       "false"},
  {"not-false",              "!false",                      "true"},
  {"not-not",                "!!(t == u)",                  "t == u"},
  {"not-less",               "!(t < u)",                    "u < t + 1"},
  {"not-and",                "!(t == u && u < v)",          "v < u + 1 || t != u"},
  {"not-or",                 "!(t == u || u < v)",          "v < u + 1 && t != u"},
};
// clang-format on

TEST(Rules, EachFiresOnItsExample) {
  const RuleSet& rules = RuleSet::standard();
  for (const Example& example : kExamples) {
    ExprFixture fixture;
    EXPECT_EQ(fixture.simple(example.text), example.simple) << example.rule;
    const auto row = std::find_if(rules.rows().begin(), rules.rows().end(),
                                  [&](const Rule& r) { return r.name == example.rule; });
    ASSERT_NE(row, rules.rows().end()) << example.rule;
    const auto index = static_cast<std::size_t>(row - rules.rows().begin());
    EXPECT_GT(fixture.cx->fired().at(index), 0u) << example.rule << " did not fire";
  }
}

TEST(Rules, NoneIsWithoutAnExampleOrHasTheNameOfAnother) {
  std::set<std::string_view> shown;
  for (const Example& example : kExamples) shown.insert(example.rule);
  std::set<std::string_view> names;
  for (const Rule& rule : RuleSet::standard().rows()) {
    EXPECT_EQ(shown.count(rule.name), 1u) << rule.name << " never fires in a test";
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
  }
}

TEST(Rules, EachGoesDownInTheTerminationOrder) {
  const RuleSet& rules = RuleSet::standard();
  for (const Rule& rule : rules.rows()) {
    for (const bool y_is_nothing : {false, true}) {
      if (y_is_nothing && rule.pattern.find(" + y") == std::string_view::npos) continue;
      EXPECT_TRUE(outweighs(weight_of(rules.read(rule.pattern), y_is_nothing),
                            weight_of(rules.read(rule.result), y_is_nothing)))
          << rule.name << (y_is_nothing ? " without y" : "");
    }
  }
}

TEST(Rules, TheOrderTellsARuleThatGoesUp) {
  const RuleSet& rules = RuleSet::standard();
  EXPECT_FALSE(outweighs(weight_of(rules.read("x/(a*b)")), weight_of(rules.read("(x/a)/b"))));
  EXPECT_FALSE(outweighs(weight_of(rules.read("x + y")), weight_of(rules.read("y + x"))));
}

TEST(Rules, TheirPageIsUpToDate) {
  const std::string path = CAMBIUM_RULES_PAGE;
  const std::string page = rules_page(RuleSet::standard());
  if (std::getenv("CAMBIUM_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << page;
  std::ifstream file(path);
  const std::string written{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(written, page) << "run with CAMBIUM_UPDATE_GOLDEN=1 and review the difference";
}

}  // namespace
}  // namespace cambium::expr

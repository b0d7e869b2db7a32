#include "schedule/rules/auto_inline.h"

#include "schedule/rules/rule_testing.h"

namespace cambium::schedule {
namespace {

// One block `t` with the given value, read by a sum over rows.
std::string before_a_sum(const std::string& value, const std::string& target = "t[i, j]") {
  return R"(
  program p(x: f32[6, 6] input, b: f32[6] input, y: f32[6] output) {
    local t: f32[6, 6]
    for i in 6 { for j in 6 { block t(spatial i = i, spatial j = j) { )" +
         target + " = " + value + R"( } } }
    for i.2 in 6 { for j.2 in 6 {
      block y(spatial i = i.2, reduce j = j.2) { y[i] += t[i, j] init 0.0 }
    } }
  })";
}

std::optional<Reason> inlined(const std::string& text, const AutoInlineOptions& options = {}) {
  RuleSubject s(text);
  const auto refused = s.apply(auto_inline_rule(options), "t");
  EXPECT_EQ(s.has("local t"), refused.has_value());
  return refused;
}

TEST(AutoInline, PutsElementwiseBlocksWhereTheyAreRead) {
  EXPECT_EQ(inlined(before_a_sum("x[i, j] + b[j]")), std::nullopt);
  EXPECT_EQ(inlined(before_a_sum("2.5")), std::nullopt) << "a constant";
}

TEST(AutoInline, LeavesConditionsDearFunctionsAndTranspositionsWhereTheyAre) {
  EXPECT_EQ(inlined(before_a_sum("select([j < 3], x[i, j], 0.0)")), Reason::NothingToDo);
  EXPECT_EQ(inlined(before_a_sum("exp(x[i, j])")), Reason::NothingToDo);
  EXPECT_EQ(inlined(before_a_sum("x[j, i]")), Reason::NothingToDo);
  EXPECT_EQ(inlined(before_a_sum("x[i, i]")), Reason::NothingToDo) << "an iterator twice";
}

TEST(AutoInline, TakesThemIfItsOptionsSaySo) {
  const AutoInlineOptions all{.conditions_stay = false, .needs_order = false, .dear = {}};
  EXPECT_EQ(inlined(before_a_sum("select([j < 3], x[i, j], 0.0)"), all), std::nullopt);
  EXPECT_EQ(inlined(before_a_sum("exp(x[j, i])"), all), std::nullopt);
}

TEST(AutoInline, HasNoLimitsWhereNothingReduces) {
  EXPECT_EQ(inlined(R"(
    program p(x: f32[6, 6] input, y: f32[6, 6] output) {
      local t: f32[6, 6]
      for i in 6 { for j in 6 { block t(spatial i = i, spatial j = j) { t[i, j] = exp(x[j, i]) } } }
      for i.2 in 6 { for j.2 in 6 {
        block y(spatial i = i.2, spatial j = j.2) { y[i, j] = t[i, j] + 1.0 }
      } }
    })"),
            std::nullopt);
}

TEST(AutoInline, LeavesReductionsAndResultsAlone) {
  RuleSubject s(kProduct);
  EXPECT_EQ(s.apply(auto_inline_rule(), "t"), Reason::NothingToDo);
  EXPECT_EQ(s.apply(auto_inline_rule(), "y"), Reason::NotLocal);
}

}  // namespace
}  // namespace cambium::schedule

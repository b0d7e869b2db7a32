#include "schedule/rules/split_contraction.h"

#include "schedule/rules/kernel_rules.h"
#include "schedule/rules/rule_testing.h"

namespace cambium::schedule {
namespace {

// y = max(0, a * b), 8 by 96 results of 512 terms.
constexpr std::string_view kDeep = R"(
  program p(a: f32[8, 512] input, b: f32[512, 96] constant, y: f32[8, 96] output) {
    local t: f32[8, 96]
    for i in 8 { for j in 96 { for k in 512 {
      block t(spatial i = i, spatial j = j, reduce k = k) { t[i, j] += a[i, k] * b[k, j] init 0.0 }
    } } }
    for i.2 in 8 { for j.2 in 96 {
      block y(spatial i = i.2, spatial j = j.2) { y[i, j] = max(t[i, j], 0.0) }
    } }
  })";

Rule rule() {
  return {"contraction-tile", "", tile_contraction};
}

TEST(SplitContraction, LeavesTheReductionWholeByDefault) {
  RuleSubject s(kDeep, 2);
  ASSERT_EQ(s.apply(rule(), "t"), std::nullopt);
  EXPECT_FALSE(s.has(".part")) << s.text();
  EXPECT_NE(s.trace().find("options: [whole, \"in blocks\", \"side by side\"]"), std::string::npos)
      << s.trace();
}

TEST(SplitContraction, AddsBlocksToTheResultOneAfterTheOther) {
  for (const char* where : {"within", "around"}) {
    RuleSubject s(kDeep);
    s.want("contraction-tile/t/reduction", {{1}, "in blocks"});
    s.want("contraction-tile/t/terms", {{0}, "128"});
    s.want("contraction-tile/t/tile", {{0}, "8x3"});
    s.want("contraction-tile/t/blocks", {{0}, where});
    ASSERT_EQ(s.apply(rule(), "t"), std::nullopt) << where;
    EXPECT_TRUE(s.has("for k.0.2 in 4 {")) << where << "\n" << s.text();
    EXPECT_TRUE(s.has("+= t.part[")) << where << "\n" << s.text();
    EXPECT_TRUE(s.has("@space(\"register\")")) << where << "\n" << s.text();
  }
}

TEST(SplitContraction, ComputesWhatFollowsWithinTheLoopAroundTheBlocks) {
  RuleSubject s(kDeep);
  s.want("contraction-tile/t/reduction", {{1}, "in blocks"});
  s.want("contraction-tile/t/tile", {{0}, "8x3"});
  ASSERT_EQ(s.apply(rule(), "t"), std::nullopt);
  EXPECT_FALSE(s.has("local t: f32[8, 96]")) << "as much as one iteration makes\n" << s.text();
}

TEST(SplitContraction, KeepsPartsSideBySideForThreads) {
  RuleSubject s(kDeep, 2);
  s.want("contraction-tile/t/reduction", {{2}, "side by side"});
  s.want("contraction-tile/t/terms", {{0}, "128"});
  ASSERT_EQ(s.apply(rule(), "t"), std::nullopt);
  EXPECT_TRUE(s.has("local t.part: f32[4, 8, 96]")) << s.text();
}

// Partial sums of narrow floats would round at other steps.
TEST(SplitContraction, LeavesWholeWhatMayNotBeRegrouped) {
  std::string narrow(kDeep);
  for (auto at = narrow.find("f32"); at != std::string::npos; at = narrow.find("f32")) {
    narrow.replace(at, 3, "f16");
  }
  RuleSubject s(narrow);
  s.want("contraction-tile/t/reduction", {{1}, "in blocks"});
  ASSERT_EQ(s.apply(rule(), "t"), std::nullopt);
  EXPECT_FALSE(s.has(".part")) << s.text();
  EXPECT_TRUE(s.has("vectorized")) << s.text();
}

TEST(SplitContraction, IsNotOfferedSideBySideToOneThread) {
  RuleSubject s(kDeep, 1);
  ASSERT_EQ(s.apply(rule(), "t"), std::nullopt);
  EXPECT_EQ(s.trace().find("side by side"), std::string::npos) << s.trace();
}

TEST(SplitContraction, IsNotOfferedWhereItCannotPay) {
  RuleSubject s(kProduct, 2);
  ASSERT_EQ(s.apply(rule(), "t"), std::nullopt);
  EXPECT_EQ(s.trace().find("contraction-tile/t/reduction"), std::string::npos) << s.trace();
}

}  // namespace
}  // namespace cambium::schedule

#include "schedule/rules/factor_reduction.h"

#include "schedule/rules/rule_testing.h"
#include "schedule/rules/sites.h"

namespace cambium::schedule {
namespace {

constexpr std::string_view kNorm = R"(
  program p(x: f32[1, 6, 8] input, y: f32[1] output) {
    for i in 1 { for j in 6 { for k in 8 {
      block y(spatial i = i, reduce j = j, reduce k = k) {
        y[i] += x[i, j, k] * x[i, j, k] init 0.0
      }
    } } }
  })";

TEST(FactorReduction, PutsPartsOfOneReduceLoopSideBySide) {
  RuleSubject s(kNorm);
  s.want("rfactor/y/part", {{2}, "inner"});
  s.want("rfactor/y/terms", {{12, 4}, ""});
  ASSERT_EQ(s.apply(rfactor_rule(), "y"), std::nullopt);
  ASSERT_EQ(s.program().locals.size(), 1U) << s.text();
  EXPECT_EQ(s.program().locals[0]->elements(), 4) << s.text();
}

TEST(FactorReduction, PutsTheOuterPartSideBySideForThreads) {
  RuleSubject s(kNorm);
  s.want("rfactor/y/part", {{1}, "outer"});
  s.want("rfactor/y/terms", {{12, 4}, ""});
  ASSERT_EQ(s.apply(rfactor_rule(), "y"), std::nullopt);
  EXPECT_EQ(s.program().locals[0]->elements(), 12) << s.text();
}

TEST(FactorReduction, MayStayAwayAndSaysSo) {
  RuleSubject s(kNorm);
  ASSERT_EQ(s.apply(rfactor_rule(), "y"), std::nullopt);
  EXPECT_TRUE(s.program().locals.empty());
  EXPECT_NE(s.trace().find("rfactor/y/part"), std::string::npos);
}

TEST(FactorReduction, LeavesReductionsWithEnoughResultsToTheirTiles) {
  RuleSubject s(kProduct);
  EXPECT_EQ(s.apply(rfactor_rule(), "t"), Reason::NothingToDo);
  EXPECT_EQ(s.apply(rfactor_rule(), "y"), Reason::NothingToDo) << "elementwise";
}

// The sum of the squares of that many rows of 1024.
std::string long_norm(int rows) {
  const std::string n = std::to_string(rows);
  return "program p(x: f32[1, " + n + ", 1024] input, y: f32[1] output) { for i in 1 { for j in " +
         n +
         " { for k in 1024 { block y(spatial i = i, reduce j = j, reduce k = k) {"
         " y[i] += x[i, j, k] * x[i, j, k] init 0.0 } } } } }";
}

TEST(FactorReduction, SharesLongSumsAmongThreads) {
  const Rule rule = rfactor_rule({.only_threads = true});
  RuleSubject s(long_norm(192), 2);
  s.want("rfactor/y/part", {{1}, "outer"});
  s.want("rfactor/y/parts", {{0}, "6"});
  ASSERT_EQ(s.apply(rule, "y"), std::nullopt);
  ASSERT_EQ(s.program().locals.size(), 1U) << s.text();
  EXPECT_EQ(s.program().locals[0]->elements(), 6) << s.text();
  RuleSubject preferred(long_norm(192), 2);
  ASSERT_EQ(preferred.apply(rule, "y"), std::nullopt);
  EXPECT_TRUE(preferred.program().locals.empty());
}

TEST(FactorReduction, SharesNothingWhereThreadsWouldNotPay) {
  const Rule rule = rfactor_rule({.only_threads = true});
  RuleSubject alone(long_norm(192), 1);
  EXPECT_EQ(alone.apply(rule, "y"), Reason::NothingToDo);
  RuleSubject small(long_norm(12), 2);
  EXPECT_EQ(small.apply(rule, "y"), Reason::NothingToDo);
  RuleSubject prime(long_norm(191), 2);
  EXPECT_EQ(prime.apply(rule, "y"), Reason::NothingToDo);
  RuleSubject product(kProduct, 2);
  EXPECT_EQ(product.apply(rule, "t"), Reason::NothingToDo) << "contractions have another rule";
}

TEST(FactorReduction, SplitsLongReductionsOfFewResults) {
  constexpr std::string_view text = R"(
    program p(a: f32[2, 64] input, b: f32[64, 4] input, y: f32[2, 4] output) {
      for i in 2 { for j in 4 { for k in 64 {
        block y(spatial i = i, spatial j = j, reduce k = k) { y[i, j] += a[i, k] * b[k, j] init 0.0 }
      } } }
    })";
  RuleSubject s(text);
  EXPECT_EQ(s.apply(rfactor_rule(), "y"), std::nullopt);
  RuleSubject fewer(text);
  EXPECT_EQ(fewer.apply(rfactor_rule({.chunks_per_thread = 4}), "y"), Reason::NothingToDo)
      << "8 results are more than one thread's 4 chunks";
}

}  // namespace
}  // namespace cambium::schedule

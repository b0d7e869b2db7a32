#include "schedule/steps/split.h"

#include "schedule/steps/partition.h"
#include "schedule/steps/reorder.h"
#include "schedule/steps/step_testing.h"

namespace cambium::schedule {
namespace {

constexpr std::string_view kCopy = R"(
  program copy(x: f32[14] input, y: f32[14] output) {
    for i in 14 { block b(spatial i = i) { y[i] = x[i] } }
  })";

constexpr std::string_view kSum = R"(
  program sum(x: f32[4, 14] input, y: f32[4] output) {
    for i in 4 { for k in 14 { block s(spatial i = i, reduce k = k) { y[i] += x[i, k] init 0.0 } } }
  })";

TEST(Split, GuardsTheTailOfFactorsThatDoNotDivide) {
  Subject s(kCopy);
  EXPECT_EQ(s.apply(Split{"i", {0, 4}, Tail::Guard}), (Names{"i.0", "i.1"}));
  EXPECT_EQ(s.text(), Subject::tidy(R"(
    program copy(x: f32[14] input, y: f32[14] output) {
      for i.0 in 4 { for i.1 in 4 {
        block b(spatial i in 14 = 4*i.0 + i.1) if 4*i.0 + i.1 < 14 { y[i] = x[i] }
      } }
    })"));
}

TEST(Split, NeedsNoGuardWhereTheFactorsDivide) {
  Subject s(kCopy);
  EXPECT_EQ(s.apply(Split{"i", {7, 0}, Tail::Exact}), (Names{"i.0", "i.1"}));
  EXPECT_EQ(s.text(), Subject::tidy(R"(
    program copy(x: f32[14] input, y: f32[14] output) {
      for i.0 in 7 { for i.1 in 2 { block b(spatial i in 14 = 2*i.0 + i.1) { y[i] = x[i] } } }
    })"));
}

TEST(Split, MakesAsManyLoopsAsFactors) {
  Subject s(kCopy);
  EXPECT_EQ(s.apply(Split{"i", {2, 0, 3}, Tail::Guard}), (Names{"i.0", "i.1", "i.2"}));
  EXPECT_NE(s.text().find("= 9*i.0 + 3*i.1 + i.2) if 9*i.0 + 3*i.1 + i.2 < 14"), std::string::npos)
      << s.text();
}

TEST(Split, PeelsTheRestIntoANestOfItsOwn) {
  Subject s(kCopy);
  EXPECT_EQ(s.apply(Split{"i", {0, 4}, Tail::Peel}), (Names{"i.0", "i.1", "i.0.2", "i.1.2"}));
  EXPECT_EQ(s.text(), Subject::tidy(R"(
    program copy(x: f32[14] input, y: f32[14] output) {
      for i.0 in 3 { for i.1 in 4 { block b(spatial i in 14 = 4*i.0 + i.1) { y[i] = x[i] } } }
      for i.0.2 in 1 {
        for i.1.2 in 2 { block b.2(spatial i in 14 = 4*i.0.2 + i.1.2 + 12) { y[i] = x[i] } }
      }
    })"));
}

TEST(Split, PeelsAllOfALoopThatIsShorterThanOneStep) {
  Subject s(kCopy);
  EXPECT_EQ(s.apply(Split{"i", {0, 16}, Tail::Peel}), (Names{"i.0", "i.1"}));
  EXPECT_NE(s.text().find("for i.1 in 14 {"), std::string::npos) << s.text();
  EXPECT_EQ(s.text().find("if"), std::string::npos) << s.text();
}

TEST(Split, TakesReductionsApart) {
  Subject s(kSum);
  s.apply(Split{"k", {0, 4}, Tail::Guard});
  EXPECT_NE(s.text().find("reduce k in 14 = 4*k.0 + k.1) if 4*k.0 + k.1 < 14"), std::string::npos)
      << s.text();
}

TEST(Split, GuardsOnlyBlocksThatSeeTheLoop) {
  Subject s(R"(
    program p(x: f32[3] input, y: f32[14, 3] output) {
      local t: f32[3]
      for i in 14 {
        for j in 3 { block t(spatial j = j) { t[j] = x[j] } }
        for j.2 in 3 { block y(spatial i = i, spatial j = j.2) { y[i, j] = t[j] } }
      }
    })");
  s.apply(Split{"i", {0, 4}, Tail::Guard});
  EXPECT_NE(s.text().find("block t(spatial j = j) {"), std::string::npos) << s.text();
  EXPECT_NE(s.text().find("if 4*i.0 + i.1 < 14"), std::string::npos) << s.text();
}

TEST(Split, RefusesAndSaysWhy) {
  Subject s(kCopy);
  EXPECT_EQ(s.refusal(Split{"z", {0, 4}}), Reason::UnknownName);
  EXPECT_EQ(s.refusal(Split{"i", {}}), Reason::BadFactors);
  EXPECT_EQ(s.refusal(Split{"i", {0, 0}}), Reason::BadFactors);
  EXPECT_EQ(s.refusal(Split{"i", {-2, 4}}), Reason::BadFactors);
  EXPECT_EQ(s.refusal(Split{"i", {3, 4}}), Reason::BadFactors);
  EXPECT_EQ(s.refusal(Split{"i", {std::int64_t{1} << 41, 2}}), Reason::BadFactors);
  EXPECT_EQ(s.refusal(Split{"i", {0, 4}, Tail::Exact}), Reason::NotDivisible);
  EXPECT_EQ(s.refusal(Split{"i", {4, 4}, Tail::Exact}), Reason::NotDivisible);
  Subject sum(kSum);
  EXPECT_EQ(sum.refusal(Split{"k", {0, 4}, Tail::Peel}), Reason::SplitsReduction);
  Subject parallel(R"(
    program copy(x: f32[14] input, y: f32[14] output) {
      for i in 14 parallel { block b(spatial i = i) { y[i] = x[i] } }
    })");
  EXPECT_EQ(parallel.refusal(Split{"i", {0, 2}}), Reason::LoopNotPlain);
}

}  // namespace
}  // namespace cambium::schedule

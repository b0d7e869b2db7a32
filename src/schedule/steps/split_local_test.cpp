#include "schedule/steps/split_local.h"

#include "schedule/steps/partition.h"
#include "schedule/steps/step_testing.h"

namespace cambium::schedule {
namespace {

// Two halves of a local, and one loop that reads both.
constexpr std::string_view kHalves = R"(
  program p(x: f32[8] input, y: f32[8] output) {
    local t: f32[8]
    for i in 3 { block low(spatial i = i) { t[i] = x[i] + 1.0 } }
    for j in 5 { block high(spatial j = j) { t[j + 3] = x[j + 3] + 2.0 } }
    for k in 8 { block y(spatial k = k) { y[k] = max(t[k], 0.0) } }
  })";

TEST(SplitLocal, GivesEachPieceABufferOfItsOwn) {
  Subject s(kHalves);
  s.apply(Partition{"k", {3}});
  EXPECT_EQ(s.apply(SplitLocal{"t", 0, {3}}), (Names{"t", "t.2"}));
  EXPECT_EQ(s.text(), Subject::tidy(R"(
    program p(x: f32[8] input, y: f32[8] output) {
      local t: f32[3]
      local t.2: f32[5]
      for i in 3 { block low(spatial i = i) { t[i] = x[i] + 1.0 } }
      for j in 5 { block high(spatial j = j) { t.2[j] = x[j + 3] + 2.0 } }
      for k in 3 { block y(spatial k = k) { y[k] = max(t[k], 0.0) } }
      for k.2 in 5 { block y.2(spatial k = k.2) { y[k + 3] = max(t.2[k], 0.0) } }
    })"));
}

TEST(SplitLocal, DropsWhatNobodyReads) {
  Subject s(R"(
    program p(x: f32[8] input, y: f32[3] output) {
      local t: f32[8]
      for i in 8 { block t(spatial i = i) { t[i] = x[i] + 1.0 } }
      for k in 3 { block y(spatial k = k) { y[k] = t[k] * t[k] } }
    })");
  s.apply(Partition{"i", {3}});
  EXPECT_EQ(s.apply(SplitLocal{"t", 0, {3}}), (Names{"t"}));
  EXPECT_EQ(s.text(), Subject::tidy(R"(
    program p(x: f32[8] input, y: f32[3] output) {
      local t: f32[3]
      for i in 3 { block t(spatial i = i) { t[i] = x[i] + 1.0 } }
      for k in 3 { block y(spatial k = k) { y[k] = t[k] * t[k] } }
    })"));
}

TEST(SplitLocal, LeavesOutADigitThatStandsStill) {
  Subject s(R"(
    program p(x: f32[8] input, y: f32[8] output) {
      local t: f32[8]
      for i in 2 { for j in 4 { block t(spatial i = i, spatial j = j) { t[4*i + j] = x[4*i + j] } } }
      for k in 8 { block y(spatial k = k) { y[k] = t[k] } }
    })");
  s.apply(Partition{"i", {1}});
  s.apply(Partition{"k", {4}});
  s.apply(SplitLocal{"t", 0, {4}});
  EXPECT_NE(s.text().find("block t.2(spatial j = j.2) {\n        t.2[j] = x[j + 4]"),
            std::string::npos)
      << s.text();
}

TEST(SplitLocal, RefusesAndSaysWhy) {
  Subject s(kHalves);
  EXPECT_EQ(s.refusal(SplitLocal{"z", 0, {3}}), Reason::UnknownName);
  EXPECT_EQ(s.refusal(SplitLocal{"x", 0, {3}}), Reason::NotLocal);
  EXPECT_EQ(s.refusal(SplitLocal{"t", 1, {3}}), Reason::BadFactors);
  EXPECT_EQ(s.refusal(SplitLocal{"t", -1, {3}}), Reason::BadFactors);
  EXPECT_EQ(s.refusal(SplitLocal{"t", 0, {}}), Reason::BadFactors);
  EXPECT_EQ(s.refusal(SplitLocal{"t", 0, {3, 3}}), Reason::BadFactors);
  EXPECT_EQ(s.refusal(SplitLocal{"t", 0, {8}}), Reason::BadFactors);
  EXPECT_EQ(s.refusal(SplitLocal{"t", 0, {3}}), Reason::NotABox) << "y reads both pieces";
}

}  // namespace
}  // namespace cambium::schedule

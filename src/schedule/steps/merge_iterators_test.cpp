#include "schedule/steps/merge_iterators.h"

#include "schedule/steps/loop_kinds.h"
#include "schedule/steps/split.h"
#include "schedule/steps/step_testing.h"

namespace cambium::schedule {
namespace {

constexpr std::string_view kPlainConv = R"(
  program conv(x: f32[8, 9] input, w: f32[3, 3] constant, y: f32[6, 7] output) {
    for oh in 6 { for ow in 7 { for r in 3 { for s in 3 {
      block c(spatial oh = oh, spatial ow = ow, reduce r = r, reduce s = s) {
        y[oh, ow] += x[oh + r, ow + s] * w[r, s] init 0.0
      }
    } } } }
  })";

TEST(MergeIterators, MakesPixelsOfRowsAndColumns) {
  Subject s(kPlainConv);
  EXPECT_EQ(s.apply(MergeIterators{"c", {"oh", "ow"}}), Names{"oh.ow"});
  EXPECT_EQ(s.text(), Subject::tidy(R"(
    program conv(x: f32[8, 9] input, w: f32[3, 3] constant, y: f32[6, 7] output) {
      for oh.ow in 42 { for r in 3 { for s in 3 {
        block c(spatial oh.ow = oh.ow, reduce r = r, reduce s = s) {
          y[oh.ow/7, oh.ow % 7] += x[r + oh.ow/7, s + oh.ow % 7] * w[r, s] init 0.0
        }
      } } }
    })"));
}

TEST(MergeIterators, LetsTilesCrossRows) {
  Subject s(kPlainConv);
  s.apply(MergeIterators{"c", {"oh", "ow"}});
  s.apply(Split{"oh.ow", {0, 6}, Tail::Exact});
  EXPECT_NE(s.text().find("spatial oh.ow in 42 = 6*oh.ow.0 + oh.ow.1"), std::string::npos)
      << s.text();
}

TEST(MergeIterators, KeepsAddressesThatDoNotCareStraight) {
  Subject s(R"(
    program copy(x: f32[42] input, y: f32[42] output) {
      for i in 6 { for j in 7 { block b(spatial i = i, spatial j = j) { y[7*i + j] = x[7*i + j] } } }
    })");
  s.apply(MergeIterators{"b", {"i", "j"}});
  EXPECT_NE(s.text().find("y[i.j] = x[i.j]"), std::string::npos) << s.text();
}

TEST(MergeIterators, ComputesNothingForAConditionThatItDecides) {
  Subject s(R"(
    program p(x: f32[6] input, y: f32[6] output) {
      local t: f32[1]
      for i in 6 {
        block t(spatial u in 1 = 0) { t[u] = 2.0 }
        block y(spatial i = i) { y[i] = select([i/2 < 3], x[i], t[0]) }
      }
    })");
  s.apply(MergeIterators{"y", {"i"}});
  EXPECT_EQ(s.text().find("t["), std::string::npos) << s.text();
}

TEST(MergeIterators, RefusesAndSaysWhy) {
  Subject s(kPlainConv);
  EXPECT_EQ(s.refusal(MergeIterators{"z", {"oh", "ow"}}), Reason::UnknownName);
  EXPECT_EQ(s.refusal(MergeIterators{"c", {"oh", "z"}}), Reason::UnknownName);
  EXPECT_EQ(s.refusal(MergeIterators{"c", {}}), Reason::BadFactors);
  EXPECT_EQ(s.refusal(MergeIterators{"c", {"ow", "oh"}}), Reason::NotNested);
  EXPECT_EQ(s.refusal(MergeIterators{"c", {"ow", "r"}}), Reason::BadReduction);
  s.apply(Split{"oh", {0, 2}});
  EXPECT_EQ(s.refusal(MergeIterators{"c", {"oh", "ow"}}), Reason::NotNested);
  s.apply(Unroll{"r"});
  EXPECT_EQ(s.refusal(MergeIterators{"c", {"r", "s"}}), Reason::LoopNotPlain);
  Subject large(R"(
    program fill(y: f32[1] output) {
      for i in 1048577 { for j in 1048577 {
        block b(spatial i = i, spatial j = j) if i + j < 1 { y[i + j] = 0.0 }
      } }
    })");
  EXPECT_EQ(large.refusal(MergeIterators{"b", {"i", "j"}}), Reason::TooLarge);
}

}  // namespace
}  // namespace cambium::schedule

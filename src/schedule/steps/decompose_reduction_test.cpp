#include "schedule/steps/decompose_reduction.h"

#include "schedule/steps/fuse.h"
#include "schedule/steps/loop_kinds.h"
#include "schedule/steps/reorder.h"
#include "schedule/steps/split.h"
#include "schedule/steps/step_testing.h"

namespace cambium::schedule {
namespace {

constexpr std::string_view kRowSums = R"(
  program sum(x: f32[4, 8] input, y: f32[4] output) {
    for i in 4 { for k in 8 { block s(spatial i = i, reduce k = k) { y[i] += x[i, k] init 0.0 } } }
  })";

TEST(DecomposeReduction, StoresTheInitialValueBeforeTheLoop) {
  Subject s(kRowSums);
  EXPECT_EQ(s.apply(DecomposeReduction{"s", "k"}), Names{"s.init"});
  EXPECT_EQ(s.text(), Subject::tidy(R"(
    program sum(x: f32[4, 8] input, y: f32[4] output) {
      for i in 4 {
        block s.init(spatial i = i) { y[i] = 0.0 }
        for k in 8 { block s(spatial i = i, reduce k = k) { y[i] += x[i, k] } }
      }
    })"));
}

TEST(DecomposeReduction, CopiesTheSpatialLoopsInsideWithTheirKindsAndGuards) {
  Subject s(kRowSums);
  s.apply(Split{"i", {0, 3}, Tail::Guard});
  s.apply(Reorder{{"k", "i.1"}});
  s.apply(Vectorize{"i.1"});
  EXPECT_EQ(s.apply(DecomposeReduction{"s", "k"}), (Names{"s.init", "i.1.2"}));
  EXPECT_EQ(s.text(), Subject::tidy(R"(
    program sum(x: f32[4, 8] input, y: f32[4] output) {
      for i.0 in 2 {
        for i.1.2 in 3 vectorized {
          block s.init(spatial i in 4 = 3*i.0 + i.1.2) if 3*i.0 + i.1.2 < 4 { y[i] = 0.0 }
        }
        for k in 8 { for i.1 in 3 vectorized {
          block s(spatial i in 4 = 3*i.0 + i.1, reduce k = k) if 3*i.0 + i.1 < 4 { y[i] += x[i, k] }
        } }
      }
    })"));
}

TEST(DecomposeReduction, MayStandBeforeASpatialLoop) {
  Subject s(kRowSums);
  EXPECT_EQ(s.apply(DecomposeReduction{"s", "i"}), (Names{"s.init", "i.2"}));
}

TEST(DecomposeReduction, RefusesWhereParallelIterationsCouldNotBeToldApart) {
  Subject s(R"(
    program p(x: f32[4, 2] input, y: f32[3] output) {
      for i.1 in 2 parallel { for k in 2 { for i.0 in 2 {
        block s(spatial i in 3 = 2*i.0 + i.1, reduce k = k) if 2*i.0 + i.1 < 3 {
          y[i] += x[i, k] init 0.0
        }
      } } }
    })");
  EXPECT_EQ(s.refusal(DecomposeReduction{"s", "k"}), Reason::NotProved);
}

TEST(DecomposeReduction, RefusesAndSaysWhy) {
  Subject s(kRowSums);
  EXPECT_EQ(s.refusal(DecomposeReduction{"z", "k"}), Reason::UnknownName);
  EXPECT_EQ(s.refusal(DecomposeReduction{"s", "z"}), Reason::UnknownName);
  s.apply(Split{"k", {0, 4}, Tail::Exact});
  EXPECT_EQ(s.refusal(DecomposeReduction{"s", "k.1"}), Reason::SplitsReduction);
  s.apply(DecomposeReduction{"s", "k.0"});
  EXPECT_EQ(s.refusal(DecomposeReduction{"s", "k.0"}), Reason::NoInit);
  Subject fused(kRowSums);
  fused.apply(Fuse{{"i", "k"}});
  EXPECT_EQ(fused.refusal(DecomposeReduction{"s", "i.k"}), Reason::SplitsReduction);
  Subject beside(R"(
    program p(x: f32[4, 8] input, y: f32[4] output) {
      local t: f32[4]
      for i in 4 {
        for k in 8 { block s(spatial i = i, reduce k = k) { t[i] += x[i, k] init 0.0 } }
        block y(spatial i = i) { y[i] = t[i] }
      }
      for j in 1 { block n(spatial i = j) { y[i] = 1.0 } }
    })");
  EXPECT_EQ(beside.refusal(DecomposeReduction{"s", "j"}), Reason::NotAround);
  EXPECT_EQ(beside.refusal(DecomposeReduction{"s", "i"}), Reason::ChangesOrder);
  Subject late(R"(
    program p(x: f32[8] input, y: f32[1] output) {
      for k in 8 { block s(spatial i in 1 = 0, reduce k in 8 = 7 - k) { y[i] += x[k] init 0.0 } }
    })");
  EXPECT_EQ(late.refusal(DecomposeReduction{"s", "k"}), Reason::NotProved);
}

}  // namespace
}  // namespace cambium::schedule

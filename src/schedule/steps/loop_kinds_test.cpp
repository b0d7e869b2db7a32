#include "schedule/steps/loop_kinds.h"

#include "schedule/steps/step_testing.h"

namespace cambium::schedule {
namespace {

constexpr std::string_view kMatmulByRows = R"(
  program matmul(a: f32[4, 5] input, b: f32[5, 6] constant, c: f32[4, 6] output) {
    for i in 4 { for k in 5 { for j in 6 {
      block c(spatial i = i, spatial j = j, reduce k = k) { c[i, j] += a[i, k] * b[k, j] init 0.0 }
    } } }
  })";

TEST(LoopKinds, MarkLoops) {
  Subject s(kMatmulByRows);
  s.apply(Parallel{"i"});
  s.apply(Unroll{"k"});
  s.apply(Vectorize{"j"});
  EXPECT_EQ(s.text(), Subject::tidy(R"(
    program matmul(a: f32[4, 5] input, b: f32[5, 6] constant, c: f32[4, 6] output) {
      for i in 4 parallel { for k in 5 unrolled { for j in 6 vectorized {
        block c(spatial i = i, spatial j = j, reduce k = k) { c[i, j] += a[i, k] * b[k, j] init 0.0 }
      } } }
    })"));
}

TEST(LoopKinds, RefuseLoopsThatAreSomethingElseAlready) {
  Subject s(kMatmulByRows);
  s.apply(Parallel{"i"});
  EXPECT_EQ(s.refusal(Unroll{"i"}), Reason::LoopNotPlain);
  EXPECT_EQ(s.refusal(Vectorize{"i"}), Reason::LoopNotPlain);
  EXPECT_EQ(s.refusal(Parallel{"i"}), Reason::LoopNotPlain);
  EXPECT_EQ(s.refusal(Parallel{"z"}), Reason::UnknownName);
}

TEST(LoopKinds, RefuseReductionsAtOnce) {
  Subject s(kMatmulByRows);
  EXPECT_EQ(s.refusal(Parallel{"k"}), Reason::ParallelReduction);
  EXPECT_EQ(s.refusal(Vectorize{"i"}), Reason::VectorizedNotInnermost);
}

TEST(LoopKinds, RefuseIterationsThatWriteTheSame) {
  Subject s(R"(
    program p(x: f32[4] input, y: f32[4] output) {
      for i in 4 { for j in 1 { block y(spatial i = j) { y[i] = x[i] } } }
    })");
  EXPECT_EQ(s.refusal(Parallel{"i"}), Reason::ParallelOverlap);
}

TEST(LoopKinds, RefuseToUnrollTooMuch) {
  Subject s(R"(
    program p(x: f32[5000] input, y: f32[5000] output) {
      for i in 5000 { block y(spatial i = i) { y[i] = x[i] } }
    })");
  EXPECT_EQ(s.refusal(Unroll{"i"}), Reason::UnrollTooLarge);
}

}  // namespace
}  // namespace cambium::schedule

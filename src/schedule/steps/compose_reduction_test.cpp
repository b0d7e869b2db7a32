#include "schedule/steps/compose_reduction.h"

#include "schedule/steps/decompose_reduction.h"
#include "schedule/steps/step_testing.h"

namespace cambium::schedule {
namespace {

constexpr std::string_view kRows = R"(
  program p(x: f32[4, 6] input, y: f32[4] output) {
    local s: f32[4]
    for i in 4 { for k in 6 {
      block s(spatial i = i, reduce k = k) { s[i] += x[i, k] init 0.0 }
    } }
    for j in 4 { block y(spatial j = j) { y[j] = max(s[j], 0.0) } }
  })";

TEST(ComposeReduction, UndoesDecomposeReduction) {
  Subject s(kRows);
  const std::string before = s.text();
  s.apply(DecomposeReduction{"s", "i"});
  EXPECT_NE(s.text(), before);
  EXPECT_EQ(s.apply(ComposeReduction{"s"}), Names());
  EXPECT_EQ(s.text(), before);
}

TEST(ComposeReduction, RefusesAndSaysWhy) {
  Subject s(kRows);
  EXPECT_EQ(s.refusal(ComposeReduction{"z"}), Reason::UnknownName);
  EXPECT_EQ(s.refusal(ComposeReduction{"y"}), Reason::BadReduction);
  EXPECT_EQ(s.refusal(ComposeReduction{"s"}), Reason::BadReduction);
  Subject half(R"(
    program p(x: f32[2, 6] input, y: f32[4] output) {
      local s: f32[4]
      for j in 4 { block s.init(spatial j = j) { s[j] = 0.0 } }
      for i in 2 { for k in 6 { block s(spatial i = i, reduce k = k) { s[i] += x[i, k] } } }
      for l in 4 { block y(spatial l = l) { y[l] = max(s[l], 0.0) } }
    })");
  EXPECT_EQ(half.refusal(ComposeReduction{"s"}), Reason::NotABox);
  Subject sum(R"(
    program p(x: f32[4, 6] input, b: f32[4] input, y: f32[4] output) {
      local s: f32[4]
      for j in 4 { block s.init(spatial j = j) { s[j] = b[j] } }
      for i in 4 { for k in 6 { block s(spatial i = i, reduce k = k) { s[i] += x[i, k] } } }
      for l in 4 { block y(spatial l = l) { y[l] = max(s[l], 0.0) } }
    })");
  EXPECT_EQ(sum.refusal(ComposeReduction{"s"}), Reason::NotLocal);
}

}  // namespace
}  // namespace cambium::schedule

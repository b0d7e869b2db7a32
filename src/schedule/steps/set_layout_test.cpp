#include "schedule/steps/set_layout.h"

#include <gtest/gtest.h>

#include "expr/simplify.h"
#include "program/analysis.h"
#include "program/text.h"
#include "schedule/steps/step_testing.h"

namespace cambium::schedule {
namespace {

constexpr const char* kPacked = R"(
program p(w: f32[20, 128] constant, y: f32[128, 20] output) {
  local t: f32[20, 128]
  for i in 20 { for j in 128 { block copy(spatial i = i, spatial j = j) { t[i, j] = w[i, j] } } }
  for j.o in 2 { for i.2 in 20 { for j.i in 64 {
    block use(spatial i = i.2, spatial j in 128 = 64*j.o + j.i) { y[j, i] = t[i, j] + 1.0 } } } }
}
)";

TEST(SetLayout, MakesPanels) {
  Context cx;
  const Program before = *program::parse(cx, kPacked);
  const auto after = SetLayout{"t", {"d1 / 64", "d0", "d1 % 64"}}.apply(cx, before);
  ASSERT_TRUE(after.ok()) << after.rejection().message();
  const program::Buffer* t = program::find_buffer(after->program, "t");
  EXPECT_EQ(std::vector<std::int64_t>(t->dims.begin(), t->dims.end()),
            (std::vector<std::int64_t>{2, 20, 64}));
  EXPECT_TRUE(same_results(cx, before, after->program));
}

TEST(SetLayout, LeavesPlainIndicesOverTheLoops) {
  Context cx;
  const Program before = *program::parse(cx, kPacked);
  const auto after = SetLayout{"t", {"d1 / 64", "d0", "d1 % 64"}}.apply(cx, before);
  ASSERT_TRUE(after.ok());
  const program::Block* use = program::find_block(after->program, "use");
  for (const program::Access& access : program::accesses_of(cx, *use->body)) {
    if (access.buffer->name != "t") continue;
    std::vector<program::Expr> over = program::over_loops(cx, *use, access.indices);
    for (program::Expr& e : over) e = expr::simplify(cx.indices(), e);
    EXPECT_EQ(over[0], program::find_loop(after->program, "j.o")->axis);
    EXPECT_EQ(over[2], program::find_loop(after->program, "j.i")->axis);
  }
}

TEST(SetLayout, MayLeaveGaps) {
  Context cx;
  const Program before = *program::parse(cx, kPacked);
  const auto after = SetLayout{"t", {"d1 / 48", "d0", "d1 % 48"}}.apply(cx, before);
  ASSERT_TRUE(after.ok()) << after.rejection().message();
  EXPECT_TRUE(same_results(cx, before, after->program));
}

Reason refusal(const Program& program, Context& cx, const SetLayout& step) {
  const auto after = step.apply(cx, program);
  EXPECT_FALSE(after.ok());
  return after.ok() ? Reason::NotFound : after.rejection().reason();
}

TEST(SetLayout, RefusesWhatWouldLoseElements) {
  Context cx;
  const Program before = *program::parse(cx, kPacked);
  EXPECT_EQ(refusal(before, cx, {"t", {"d0", "d1 / 2"}}), Reason::BadLayout);
  EXPECT_EQ(refusal(before, cx, {"t", {"d0", "d1 +"}}), Reason::BadLayout);
  EXPECT_EQ(refusal(before, cx, {"t", {"d0", "d1 - 5"}}), Reason::BadLayout);
  EXPECT_EQ(refusal(before, cx, {"t", {"d0", "e"}}), Reason::BadLayout);
}

// Intervals end at infinity, and products of sizes would not end there.
TEST(SetLayout, RefusesWhatNoBufferHolds) {
  Context cx;
  const Program before = *program::parse(cx, kPacked);
  EXPECT_EQ(refusal(before, cx, {"t", {"d0", "d1*4611686018427387904"}}), Reason::BadLayout);
  EXPECT_EQ(refusal(before, cx, {"t", {"d0", "d1 + 9223372036854775807"}}), Reason::BadLayout);
  EXPECT_EQ(refusal(before, cx, {"t", {"d0", "d1*1099511627776"}}), Reason::BadLayout);
  EXPECT_EQ(refusal(before, cx, {"t", {"d0*4294967296", "d1*4294967296"}}), Reason::BadLayout);
  EXPECT_EQ(refusal(before, cx, {"t", {"d0*1048576", "d1*1048576"}}), Reason::BadLayout);
  // The whole is small, but nobody could compute it.
  EXPECT_EQ(refusal(before, cx, {"t", {"d0", "min(d1*4611686018427387904, 127)"}}),
            Reason::BadLayout);
  const auto large = SetLayout{"t", {"d0*65536", "d1*4096"}}.apply(cx, before);
  EXPECT_TRUE(large.ok()) << large.rejection().message();
}

// True, since 3 and the length have no common divisor, but beyond digits and too long to look at.
TEST(SetLayout, SaysWhenItDoesNotKnow) {
  Subject s(R"(
    program p(x: f32[4194304] input, k: i64[4194304] input, y: f32[4194304] output) {
      local t: f32[4194304]
      for i in 4194304 { block t(spatial i = i) { t[i] = x[i] } }
      for j in 4194304 { block y(spatial i = j) { y[i] = gather(t, k[i]) } }
    })");
  EXPECT_EQ(s.refusal(SetLayout{"t", {"d0"}}), Reason::BadLayout);  // it is gathered from
  Subject u(R"(
    program p(x: f32[4194304] input, y: f32[4194304] output) {
      local t: f32[4194304]
      for i in 4194304 { block t(spatial i = i) { t[i] = x[i] } }
      for j in 4194304 { block y(spatial i = j) { y[i] = t[i] } }
    })");
  EXPECT_EQ(u.refusal(SetLayout{"t", {"3*d0 % 4194304"}}), Reason::NotProved);
  EXPECT_EQ(u.refusal(SetLayout{"t", {"d0 / 4096", "d0 / 64 % 64", "d0 % 64"}}), std::nullopt);
}

TEST(SetLayout, RefusesBuffersOfTheCallerAndUnknownOnes) {
  Context cx;
  const Program before = *program::parse(cx, kPacked);
  EXPECT_EQ(refusal(before, cx, {"w", {"d1", "d0"}}), Reason::NotLocal);
  EXPECT_EQ(refusal(before, cx, {"z", {"d1", "d0"}}), Reason::UnknownName);
}

}  // namespace
}  // namespace cambium::schedule

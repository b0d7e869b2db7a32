#include "schedule/defaults/default_schedule.h"

#include <gtest/gtest.h>

#include "program/build.h"
#include "program/text.h"
#include "program/verify.h"
#include "schedule/rules/small_operators.h"

namespace cambium::schedule {
namespace {

using program::Builder;
using program::Mem;
using program::Point;
using program::spatial;

Machine wide_machine() {
  return *machine_named("avx512");
}

// Schedules, checks, and gives the text of what came out.
std::string scheduled(Context& cx, const Program& program,
                      const Machine& machine = wide_machine()) {
  const auto s = default_schedule(cx, program, machine);
  EXPECT_TRUE(s.ok()) << (s.ok() ? "" : s.rejection().message());
  if (!s.ok()) return "";
  EXPECT_TRUE(program::check(cx, s->program(), program::Stage::Ready).ok());
  EXPECT_EQ(difference(cx, program, s->program()), "");
  const auto again = replay(cx, program, s->trace());
  EXPECT_TRUE(again.ok());
  return program::to_text(cx, s->program());
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

TEST(DefaultSchedule, PutsTheTileOfAMatrixProductIntoRegisters) {
  Context cx;
  const std::string text = scheduled(cx, matmul(cx, 24, 128, 20));
  EXPECT_EQ(count(text, "space(\"register\")"), 1u) << text;
  EXPECT_NE(text.find("in 16 vectorized"), std::string::npos);
}

TEST(DefaultSchedule, CutsTailsOffRowsAndColumns) {
  Context cx;
  scheduled(cx, matmul(cx, 13, 100, 20));
  scheduled(cx, matmul(cx, 1, 1000, 7));
  scheduled(cx, matmul(cx, 50, 5, 33));
  scheduled(cx, matmul(cx, 7, 17, 1));
}

TEST(DefaultSchedule, ServesNarrowMachinesToo) {
  Context cx;
  scheduled(cx, matmul(cx, 13, 40, 20), *machine_named("avx2"));
  scheduled(cx, matmul(cx, 13, 40, 20), *machine_named("aarch64"));
}

TEST(DefaultSchedule, TilesPixelsOfAConvolutionWhateverTheWidth) {
  Context cx;
  const std::string text = scheduled(cx, conv(cx, {7, 8, 64, 3, 1, 1, 1}));
  EXPECT_GE(count(text, "space(\"register\")"), 1u) << text;
}

TEST(DefaultSchedule, TilesStridedGroupedAndDepthwiseConvolutions) {
  Context cx;
  scheduled(cx, conv(cx, {9, 3, 20, 3, 2, 1, 1}));
  EXPECT_GE(count(scheduled(cx, conv(cx, {6, 8, 64, 3, 1, 1, 2})), "space(\"register\")"), 1u);
  EXPECT_GE(count(scheduled(cx, conv(cx, {8, 32, 32, 3, 1, 1, 32})), "space(\"register\")"), 1u);
}

TEST(DefaultSchedule, ReadsTheWeightsOfATileOfChannelsFromOnePanel) {
  Context cx;
  const auto s = default_schedule(cx, conv(cx, {4, 64, 64, 3, 1, 1, 64}), wide_machine());
  ASSERT_TRUE(s.ok());
  const std::string trace = to_text(s->trace());
  EXPECT_NE(trace.find("dims: [\"d0 / 16\", d1, d2, d3, \"d0 % 16\"]"), std::string::npos) << trace;
}

TEST(DefaultSchedule, TakesHalvesOfTheChannelsInTurnsWhereRowsArePagesApart) {
  const auto trace = [](std::int64_t channels) {
    Context cx;
    const auto s =
        default_schedule(cx, conv(cx, {4, channels, channels, 3, 1, 1, channels}), wide_machine());
    EXPECT_TRUE(s.ok());
    return s.ok() ? to_text(s->trace()) : "";
  };
  EXPECT_NE(trace(1024).find("factors: [2, 8], tail: exact)"), std::string::npos) << trace(1024);
  EXPECT_EQ(trace(128).find("in turns"), std::string::npos) << trace(128);
  EXPECT_EQ(trace(576).find("in turns"), std::string::npos) << "nine tiles have no halves";
}

TEST(DefaultSchedule, LetsNarrowGroupsShareVectorsAndCutsTheBorders) {
  Context cx;
  const std::string text = scheduled(cx, conv(cx, {21, 16, 16, 3, 1, 1, 4}));
  EXPECT_NE(text.find("spatial g.oc"), std::string::npos) << text;
  EXPECT_EQ(count(text, "local pad"), 0u) << "padding is read where it is used";
}

TEST(DefaultSchedule, ReadsThroughATransposition) {
  Context cx;
  const std::string text = scheduled(cx, scores(cx, 3, 32, 8));
  EXPECT_EQ(count(text, "local t:"), 0u) << text;
  EXPECT_GE(count(text, "space(\"register\")"), 1u);
}

TEST(DefaultSchedule, GivesLanesToAReductionAlongMemory) {
  Context cx;
  EXPECT_GE(count(scheduled(cx, norm(cx, 128)), "vectorized"), 1u);
}

TEST(DefaultSchedule, WorksThroughASoftmaxRowByRow) {
  Context cx;
  const std::string text = scheduled(cx, softmax(cx, 6, 64));
  EXPECT_EQ(count(text, "local e: f32[1, 64]"), 1u) << text;
}

TEST(DefaultSchedule, FetchesTheNextRowOfASoftmaxThatComesFromMemory) {
  const auto trace = [](std::int64_t rows, std::int64_t columns) {
    Context cx;
    const auto s = default_schedule(cx, softmax(cx, rows, columns), wide_machine());
    EXPECT_TRUE(s.ok());
    return s.ok() ? to_text(s->trace()) : "";
  };
  const std::string far = trace(512, 2048);
  EXPECT_EQ(count(far, "\nprefetch(block: "), 1u) << far;
  EXPECT_NE(far.find("distance: 128)"), std::string::npos) << far;
  const std::string odd = trace(1024, 1000);
  EXPECT_NE(odd.find("distance: 63)"), std::string::npos) << odd;
  const std::string near = trace(64, 2048);  // it stays in the second cache
  EXPECT_EQ(count(near, "\nprefetch(block: "), 0u) << near;
}

TEST(DefaultSchedule, LeavesWhatItCannotTileCorrect) {
  Context cx;
  Builder b(cx, "transpose");
  const Mem x = b.input("x", {5, 37}), y = b.output("y", {37, 5});
  b.block("move", {spatial("i", 37), spatial("j", 5)}, [&](Point p) {
    return assign(y, {p[0], p[1]}, x(p[1], p[0]));
  });
  scheduled(cx, b.finish());
}

TEST(DefaultSchedule, RefusesAProgramThatIsNotLowered) {
  Context cx;
  Builder b(cx, "half");
  const Mem y = b.output("y", {4});
  b.block("part", {spatial("i", 3)}, [&](Point p) { return assign(y, {p[0]}, b.number(1)); });
  const auto s = default_schedule(cx, b.finish(), wide_machine());
  ASSERT_FALSE(s.ok());
  EXPECT_EQ(s.rejection().reason(), Reason::OutputNotWritten);
}

}  // namespace
}  // namespace cambium::schedule

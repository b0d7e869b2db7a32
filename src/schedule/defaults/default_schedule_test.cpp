#include "schedule/defaults/default_schedule.h"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "program/build.h"
#include "program/code_size.h"
#include "program/text.h"
#include "program/verify.h"
#include "schedule/rules/small_operators_testing.h"
#include "schedule/rules/space.h"

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

TEST(DefaultSchedule, PutsTermsOfAProductOfTwoInputsInLanesWhereItsRowsPayForPacking) {
  const auto terms = [](std::int64_t rows) {
    Context cx;
    Builder b(cx, "product");
    const Mem x = b.input("x", {rows, 128}), w = b.input("w", {128, 24});
    const Mem y = b.output("y", {rows, 24});
    b.block("dot", {spatial("i", rows), spatial("j", 24), program::reduce("k", 128)}, [&](Point p) {
      return sum(y, {p[0], p[1]}, x(p[0], p[2]) * w(p[2], p[1]));
    });
    return count(scheduled(cx, b.finish()), ".part: f32[") > 0;
  };
  EXPECT_TRUE(terms(128)) << "24 columns fill three vectors of two terms, and two of one to 75 %";
  EXPECT_FALSE(terms(16));
}

TEST(DefaultSchedule, CutsTailsOffRowsAndColumns) {
  Context cx;
  scheduled(cx, matmul(cx, 13, 100, 20));
  scheduled(cx, matmul(cx, 1, 1000, 7));
  scheduled(cx, matmul(cx, 50, 5, 33));
  scheduled(cx, matmul(cx, 7, 17, 1));
}

// Each element of the matrix is used once: lanes across its rows would gather them.
TEST(DefaultSchedule, SumsAMatrixTimesAVectorAlongItsRows) {
  Context cx;
  Builder b(cx, "product");
  const Mem x = b.input("x", {24, 100}), v = b.input("v", {100});
  const Mem y = b.output("y", {24});
  b.block("dot", {spatial("m", 24), program::reduce("k", 100)},
          [&](Point p) { return sum(y, {p[0]}, x(p[0], p[1]) * v(p[1])); });
  const Program program = b.finish();
  for (const char* name : {"avx512", "avx2"}) {
    const auto s = default_schedule(cx, program, *machine_named(name), Default::Preferred);
    ASSERT_TRUE(s.ok()) << s.rejection().message();
    const auto is_along = [](const Record& record) {
      const std::string* key = key_of(record.step);
      return key != nullptr && key->starts_with("lane-reduction/dot/");
    };
    EXPECT_TRUE(std::any_of(s->trace().begin(), s->trace().end(), is_along)) << name;
    EXPECT_EQ(untiled_contraction(program, s->trace()), "");
    EXPECT_EQ(difference(cx, program, s->program()), "");
  }
}

// Groups that fill no whole number of vectors: a group has a tail of its own then.
TEST(DefaultSchedule, TilesGroupsOfAnyWidth) {
  for (const char* name : {"avx512", "avx2"}) {
    for (const std::int64_t width : {9, 12, 17, 20, 24, 31, 40, 56, 100}) {
      SCOPED_TRACE(fmt::format("{} {}", name, width));
      Context cx;
      const Program program = conv(cx, {4, 6, 2 * width, 3, 1, 1, 2});
      const auto s = default_schedule(cx, program, *machine_named(name), Default::Preferred);
      ASSERT_TRUE(s.ok()) << s.rejection().message();
      EXPECT_EQ(untiled_contraction(program, s->trace()), "");
      EXPECT_NE(program::to_text(cx, s->program()).find("space(\"register\")"), std::string::npos);
      EXPECT_EQ(difference(cx, program, s->program()), "");
    }
  }
}

// Rows of an image that are narrower than a vector are no groups, though they lie side by side.
TEST(DefaultSchedule, TilesNarrowImagesWithChannelsFirst) {
  Context cx;
  Builder b(cx, "pointwise");
  const Mem x = b.input("x", {16, 4, 4}), w = b.constant("w", {24, 16});
  const Mem y = b.output("y", {24, 4, 4});
  b.block("dot", {spatial("o", 24), spatial("h", 4), spatial("w", 4), program::reduce("i", 16)},
          [&](Point p) {
            return sum(y, {p[0], p[1], p[2]}, x(p[3], p[1], p[2]) * w(p[0], p[3]));
          });
  const Program program = b.finish();
  const auto s = default_schedule(cx, program, wide_machine(), Default::Preferred);
  ASSERT_TRUE(s.ok()) << s.rejection().message();
  EXPECT_EQ(untiled_contraction(program, s->trace()), "");
  EXPECT_EQ(difference(cx, program, s->program()), "");
}

TEST(DefaultSchedule, TellsWhichContractionHasNoTile) {
  Context cx;
  const Program program = matmul(cx, 24, 128, 20);
  EXPECT_EQ(untiled_contraction(program, default_schedule(cx, program, wide_machine())->trace()),
            "");
  EXPECT_EQ(untiled_contraction(program, plain_schedule(cx, program)->trace()), "dot");
}

// Its rows are far apart, and the data has fewer elements than there are lanes.
TEST(DefaultSchedule, TilesAWindowOverLessDataThanLanes) {
  Context cx;
  const Program program = matmul(cx, 3, 1024, 100);
  DraftOptions options;
  options.otherwise = Otherwise::Preferred;
  const auto s =
      generate(cx, program, wide_machine(), *without(whole_space(), {"contraction-tile"}), options);
  ASSERT_TRUE(s.ok()) << s.rejection().message();
  EXPECT_EQ(difference(cx, program, s->program()), "");
}

// Tails and borders copy the window: written out as far as others are, this would be too large.
TEST(DefaultSchedule, WritesOutLessOfAWindowThatIsCutManyTimes) {
  for (const std::int64_t channels : {600, 720, 1000}) {
    for (const std::int64_t size : {7, 14}) {
      for (const char* name : {"avx512", "avx2"}) {
        SCOPED_TRACE(fmt::format("{} {} {}", name, channels, size));
        Context cx;
        const Program program = conv(cx, {size, channels, channels, 3, 1, 1, channels});
        const auto s = default_schedule(cx, program, *machine_named(name), Default::Preferred);
        EXPECT_TRUE(s.ok()) << s.rejection().message();
      }
    }
  }
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
        default_schedule(cx, conv(cx, {8, channels, channels, 3, 1, 1, channels}), wide_machine());
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

TEST(DefaultSchedule, PutsTermsSideBySideWhereColumnsWouldLeaveLanesEmpty) {
  const auto trace = [](std::int64_t channels, std::int64_t columns) {
    Context cx;
    const program::Program program = conv(cx, {5, channels, columns, 3, 1, 1, 1});
    const auto s = default_schedule(cx, program, wide_machine());
    EXPECT_TRUE(s.ok());
    EXPECT_EQ(difference(cx, program, s->program()), "");
    return s.ok() ? to_text(s->trace()) : "";
  };
  EXPECT_NE(trace(32, 17).find("d1 % 4"), std::string::npos) << "17 columns, by fours: 20 lanes";
  EXPECT_NE(trace(32, 24).find("d1 % 2"), std::string::npos)
      << "24 columns, by twos: no lane empty";
  EXPECT_EQ(trace(32, 32).find("d1 % "), std::string::npos) << "all lanes are full";
  EXPECT_EQ(trace(31, 17).find("d1 % "), std::string::npos) << "terms have no neighbours";
}

TEST(DefaultSchedule, CopiesPaddingWhereTheWindowIsTooWideToBeWrittenOut) {
  Context cx;
  const program::Program wide = conv(cx, {40, 8, 8, 39, 1, 19, 1});
  const auto s = default_schedule(cx, wide, wide_machine(), Default::Preferred);
  ASSERT_TRUE(s.ok()) << s.rejection().message();
  const auto sites = program::sites_of(s->program());
  EXPECT_LT(program::written_operations(sites, wide_machine().lanes()),
            program::kMostOperations / 4);
}

TEST(DefaultSchedule, HasSimplerFormsThatComputeTheSame) {
  for (const Default which : kDefaults) {
    SCOPED_TRACE(name_of(which));
    Context cx;
    for (const Operator& given : small_operators(cx)) {
      const auto s = default_schedule(cx, given.program, wide_machine(), which);
      ASSERT_TRUE(s.ok()) << given.name << ": " << s.rejection().message();
      EXPECT_TRUE(program::check(cx, s->program(), program::Stage::Ready).ok()) << given.name;
      EXPECT_EQ(difference(cx, given.program, s->program()), "") << given.name;
    }
  }
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

TEST(DefaultSchedule, CopiesStripsOfSmallImagesWhosePixelsAreFarApart) {
  Context cx;
  for (const char* name : {"avx512", "avx2"}) {
    const Machine machine = *machine_named(name);
    const std::string far = scheduled(cx, conv(cx, {7, 512, 512, 3, 1, 1, 512}), machine);
    EXPECT_EQ(count(far, "local x.cache: f32[1, 7, 7, 128]"), 1u) << far;
    const std::string near = scheduled(cx, conv(cx, {7, 64, 64, 3, 1, 1, 64}), machine);
    EXPECT_EQ(count(near, "x.cache"), 0u) << "what lies together needs no copy";
    const std::string large = scheduled(cx, conv(cx, {14, 512, 512, 3, 1, 1, 512}), machine);
    EXPECT_EQ(count(large, "x.cache"), 0u) << "a strip of it does not fit into the first cache";
    const std::string strided = scheduled(cx, conv(cx, {7, 512, 512, 3, 2, 1, 512}), machine);
    EXPECT_EQ(count(strided, "x.cache"), 0u) << "too few products with each element";
  }
}

}  // namespace
}  // namespace cambium::schedule

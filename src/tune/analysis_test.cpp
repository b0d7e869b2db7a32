#include "tune/analysis.h"

#include <string>

#include <gtest/gtest.h>

#include "program/text.h"
#include "tune/traffic.h"

namespace cambium::tune {
namespace {

Machine machine() {
  Machine m = machine_named("avx512").value();
  m.l1_bytes = 32 << 10;
  m.l2_bytes = 1 << 20;
  m.l3_bytes = 32 << 20;
  return m;
}

class AnalysisTest : public testing::Test {
 protected:
  Analysis of(const std::string& text) {
    auto program = program::parse(cx_, text);
    EXPECT_TRUE(program.ok()) << program.rejection().message();
    return analyse(*program, machine());
  }
  program::Context cx_;
};

TEST_F(AnalysisTest, CountsElementsAndLinesAtEveryLoop) {
  const Analysis a = of(R"(
program p(x: f32[64, 256] input, y: f32[64] output) {
  for i in 64 { for j in 256 {
    block b(spatial i = i, reduce j = j) { y[i] += x[i, j] init 0.0 }
  } }
})");
  const AccessInfo& x = a.blocks[0].accesses[1];
  EXPECT_EQ(x.elements[0], 64 * 256);
  EXPECT_EQ(x.bytes[0], 64 * 256 * 4);
  EXPECT_EQ(x.elements[1], 256);
  EXPECT_EQ(x.bytes[1], 1024);
  EXPECT_EQ(x.bytes[2], 64) << "one element takes a line";
  EXPECT_EQ(x.stride[0], 1024);
  EXPECT_EQ(x.stride[1], 4);
  EXPECT_TRUE(a.blocks[0].loops[1].reduces);
}

TEST_F(AnalysisTest, CountsALineForEveryElementOfAColumn) {
  const Analysis a = of(R"(
program p(x: f32[64, 256] input, y: f32[256] output) {
  for j in 256 { for i in 64 {
    block b(spatial j = j, reduce i = i) { y[j] += x[i, j] init 0.0 }
  } }
})");
  const AccessInfo& x = a.blocks[0].accesses[1];
  EXPECT_EQ(x.bytes[1], 64 * 64);
  EXPECT_EQ(x.bytes[0], 64 * 256 * 4);
}

TEST_F(AnalysisTest, CountsOverlappingWindowsOnce) {
  const Analysis a = of(R"(
program p(x: f32[18] input, y: f32[16] output) {
  for o in 16 { for k in 3 {
    block b(spatial o = o, reduce k = k) { y[o] += x[o + k] init 0.0 }
  } }
})");
  EXPECT_EQ(a.blocks[0].accesses[1].elements[0], 18);
  EXPECT_EQ(a.blocks[0].accesses[1].elements[1], 3);
}

TEST_F(AnalysisTest, SeesThroughSplitsAndExpectsTheRestOfDivisions) {
  const Analysis a = of(R"(
program p(x: f32[14, 14] input, y: f32[2, 3, 64] output) {
  for r in 32 { for i in 6 { for j in 64 {
    block b(spatial m in 196 = 6*r + i, spatial c = j) {
      y[c/32, m % 3, c] = x[m/14, m % 14]
    }
  } } }
})");
  const AccessInfo& x = a.blocks[0].accesses[1];
  EXPECT_NEAR(x.elements[1], 6, 0.01) << "no more than there are points";
  EXPECT_NEAR(x.elements[0], 192, 4.1);
  EXPECT_EQ(x.divisions, 2) << "/14 and %14 have to be computed";
  EXPECT_EQ(x.divided, 3U) << "from r and i";
  EXPECT_EQ(a.blocks[0].accesses[0].elements[2], 64) << "j/32 and j together";
}

TEST_F(AnalysisTest, BringsInWhatALoopNeedsOnceWhereItFits) {
  // x has 16 KiB and fits the first cache; 64 passes over it read it once.
  const std::string text = R"(
program p(x: f32[ROWS, 64] input, z: f32[4096, 256] input, y: f32[64] output) {
  for t in 64 { for i in ROWS { for j in 64 {
    block b(reduce t = t, reduce i = i, spatial j = j) { y[j] += x[i, j] * z[t, i % 256] init 0.0 }
  } } }
})";
  const auto with = [&](const std::string& rows) {
    std::string out = text;
    for (std::size_t at; (at = out.find("ROWS")) != std::string::npos;) out.replace(at, 4, rows);
    return of(out);
  };
  const Analysis small = with("64"), large = with("4096");
  EXPECT_LT(small.blocks[0].traffic[0], 3e5) << "x, y once, and rows of z";
  // 1 MiB does not fit: every pass reads it again.
  EXPECT_NEAR(large.blocks[0].traffic[0], 64.0 * (1 << 20), 5e6);
}

TEST_F(AnalysisTest, FindsInTheCacheWhatAnEarlierBlockLeftThere) {
  const Analysis a = of(R"(
program p(x: f32[4096, 256] input, y: f32[4096, 256] output) {
  local t: f32[1, 256]
  for i in 4096 {
    for j in 256 { block first(spatial i = i, spatial j = j) { t[0, j] = x[i, j] } }
    for j.2 in 256 { block second(spatial i = i, spatial j = j.2) { y[i, j] = t[0, j] + x[i, j] } }
  }
})");
  const double bytes = 4096.0 * 256 * 4;
  EXPECT_NEAR(a.blocks[0].traffic[0], bytes, 0.01 * bytes) << "x comes";
  EXPECT_NEAR(a.blocks[1].traffic[0], bytes, 0.01 * bytes) << "y goes; x and t are there";
}

TEST_F(AnalysisTest, KeepsThingsThatFitFromCallToCall) {
  const Analysis a = of(R"(
program p(x: f32[1024] input, y: f32[1024] output) {
  for i in 1024 { block b(spatial i = i) { y[i] = x[i] } }
})");
  EXPECT_EQ(a.blocks[0].traffic[0], 0);
}

TEST_F(AnalysisTest, NoticesCopiesThatShareASetOfTheCache) {
  const Analysis a = of(R"(
program p(x: f32[16, 1024] input, y: f32[16, 16] output) {
  for i in 16 unrolled { for l in 16 vectorized {
    block b(spatial i = i, spatial l = l) { y[i, l] = x[i, l] }
  } }
})");
  const BlockInfo& b = a.blocks[0];
  EXPECT_EQ(b.accesses[1].crowded[0], 64 * b.accesses[1].bytes[0]) << "16 lines in one of 64 sets";
  EXPECT_EQ(b.accesses[0].crowded[0], b.accesses[0].bytes[0]);
  EXPECT_GT(b.traffic[0], 0) << "they push each other out";
}

TEST_F(AnalysisTest, TakesLoopsThatAreUnrolledInPartForTwo) {
  const Analysis a = of(R"(
program p(x: f32[64] input, y: f32[64] output) {
  for i in 64 @unroll(4) { block b(spatial i = i) { y[i] = x[i] } }
})");
  const BlockInfo& b = a.blocks[0];
  ASSERT_EQ(b.loops.size(), 2U);
  EXPECT_EQ(b.loops[0].extent, 16);
  EXPECT_EQ(b.loops[1].extent, 4);
  EXPECT_EQ(b.loops[1].kind, program::LoopKind::Unrolled);
  EXPECT_EQ(b.accesses[1].elements[1], 4);
}

TEST_F(AnalysisTest, SurvivesMoreLoopsThanItTellsApart) {
  std::string head, at = "0", tail;
  for (int i = 0; i < 30; ++i) {
    head += "for l" + std::to_string(i) + " in 2 { ";
    tail += " }";
  }
  const Analysis a = of(
      "program p(x: f32[1] input, y: f32[2] output) {" + head +
      "block b(spatial i in 2 = l29, reduce r in 2 = l3) { y[i] += x[0] init 0.0 }" + tail + "}");
  EXPECT_LE(a.blocks[0].loops.size(), kMostLoops);
  EXPECT_EQ(a.blocks[0].iterations(0, a.blocks[0].loops.size()), 1 << 30);
}

// Of a trace that somebody else wrote.
TEST_F(AnalysisTest, SurvivesLoopsWhoseProductDoesNotFit) {
  std::string head, tail;
  for (int i = 0; i < 30; ++i) {
    head += "for l" + std::to_string(i) + " in 1099511627776 { ";
    tail += " }";
  }
  const Analysis a = of("program p(x: f32[1] input, y: f32[1] output) {" + head +
                        "block b(spatial i in 1 = 0) { y[i] = x[0] }" + tail + "}");
  for (const BlockLoop& loop : a.blocks[0].loops) EXPECT_GE(loop.extent, 1099511627776);
}

}  // namespace
}  // namespace cambium::tune

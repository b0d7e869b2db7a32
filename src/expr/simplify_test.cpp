#include "expr/simplify.h"

#include <string>

#include <gtest/gtest.h>

#include "expr/expr_testing.h"

namespace cambium::expr {
namespace {

class Simplify : public testing::Test, protected ExprFixture {};

TEST_F(Simplify, FlattenedTilesComeApart) {
  EXPECT_EQ(simple("((io*4 + ii)*W + j)/W"), "4*io + ii");
  EXPECT_EQ(simple("((io*4 + ii)*W + j) % W"), "j");
  EXPECT_EQ(simple("(io*4 + ii)/4"), "io");
  EXPECT_EQ(simple("(io*4 + ii) % 4"), "ii");
  EXPECT_EQ(simple("((io*4 + ii)*W + j)/(4*W)"), "io");
  EXPECT_EQ(simple("((io*4 + ii)*W + j) % (4*W)"), "W*ii + j");
  EXPECT_EQ(simple("((io*4 + ii)*W + j) % (4*W) / W"), "ii");
}

TEST_F(Simplify, FusedAndSplitIteratorsComeTogether) {
  EXPECT_EQ(simple("n/8*8 + n % 8"), "n");
  EXPECT_EQ(simple("(n/8*8 + n % 8)/4"), "n/4");
  EXPECT_EQ(simple("n/16*4 + n/4 % 4"), "n/4");
  EXPECT_EQ(simple("n % 4 + n/4 % 4 * 4 + n/16*16"), "n");
  EXPECT_EQ(simple("c/[Ci/g]*[Ci/g] + c % [Ci/g]"), "c");
}

TEST_F(Simplify, GroupsOfChannelsBySymbolicQuotients) {
  EXPECT_EQ(simple("(co*[Ci/g] + ci)/[Ci/g]"), "co");
  EXPECT_EQ(simple("(co*[Ci/g] + ci) % [Ci/g]"), "ci");
  EXPECT_EQ(simple("(co*[Ci/g] + ci)/Ci"), "0");
  EXPECT_EQ(simple("(i*Ci + co*[Ci/g] + ci) % Ci"), "[Ci/g]*co + ci");
}

TEST_F(Simplify, ConvolutionIndicesAndTheirGuards) {
  EXPECT_EQ(simple("i + r - k/2"), "i + r - k/2");
  EXPECT_EQ(simple("i + r < 0"), "false");
  EXPECT_EQ(simple("i + r < H + k"), "true");
  EXPECT_EQ(simple("0 <= i && i < H"), "true");
  EXPECT_EQ(simple("s*i + r < s*H + k - 1"), "true");
  EXPECT_EQ(simple("io*4 + ii < 64"), "true");
  EXPECT_EQ(simple("io*4 + ii < 40"), "io < 10");
  EXPECT_EQ(simple("io*4 + ii < 42"), "4*io + ii < 42");
  EXPECT_EQ(simple("!(io*4 + ii < 40)"), "9 < io");
}

TEST_F(Simplify, SumsCollectAndSort) {
  EXPECT_EQ(simple("t + u + t - u"), "2*t");
  EXPECT_EQ(simple("3 + t - 5 + W*j + 2*W*i"), "2*W*i + W*j + t - 2");
  EXPECT_EQ(simple("4*(t + 2*u + 1) - 4"), "8*u + 4*t");
  EXPECT_EQ(simple("H*W - W*H"), "0");
}

TEST_F(Simplify, ReturnsTheSameNodeWithoutAllocatingWhenThereIsNothingToDo) {
  for (const char* text : {"4*io + ii", "n/8", "(t + u)/3 % 7", "max(t, u)", "t < u", "t == u",
                           "i + r - k/2", "[Ci/g]*co + ci", "t < u && u < 7"}) {
    Expr e = simplify(*cx, read(text));
    ExprFixture fresh;
    Expr again = fresh.read(print(*cx, e));
    const std::size_t before = fresh.cx->node_count();
    EXPECT_EQ(simplify(*fresh.cx, again), again) << text;
    EXPECT_EQ(fresh.cx->node_count(), before) << text << ": no change must allocate nothing";
  }
}

}  // namespace
}  // namespace cambium::expr

#include "expr/bounds.h"

#include <gtest/gtest.h>

#include "expr/divisibility.h"
#include "expr/expr_testing.h"

namespace cambium::expr {
namespace {

class BoundsTest : public testing::Test, protected ExprFixture {
 protected:
  bool less(const char* x, const char* y) { return provably_less(*cx, read(x), read(y)); }
};

TEST_F(BoundsTest, NumbersBoundWhatHoldsNoSizes) {
  EXPECT_EQ(read("4*io + ii")->range, (Interval{0, 63}));
  EXPECT_EQ(read("(4*io + ii - 8)/8")->range, (Interval{-1, 6}));
  EXPECT_EQ(read("v % 16")->range, (Interval{0, 6}));
  EXPECT_EQ(read("min(t, 9) - max(v, 2)")->range, (Interval{-6, 7}));
  EXPECT_EQ(read("2*W")->range, (Interval{2, Interval::kInfinity}));
}

TEST_F(BoundsTest, SizesBoundWhatTheyScale) {
  EXPECT_TRUE(less("i*W + j", "H*W"));
  EXPECT_FALSE(less("i*W + j", "H*W - 1")) << "the last one is as large";
  EXPECT_TRUE(less("co*[Ci/g] + ci", "Ci"));
  EXPECT_TRUE(less("(i*W + j)/W", "H"));
  EXPECT_TRUE(less("(c + i*Ci) % Ci", "Ci"));
  EXPECT_TRUE(less("min(i, t)", "H"));
  EXPECT_FALSE(less("max(i, j)", "H"));
  EXPECT_TRUE(less("-1", "[Ci/g] - 1")) << "a quotient of sizes is at least one";
}

TEST_F(BoundsTest, WhatIsFalseOrUnknownIsNotProved) {
  EXPECT_FALSE(less("i", "W"));
  EXPECT_FALSE(less("k", "H")) << "not for all sizes";
  ExprFixture bound({"Ci=64, H=56, W=56, k=3, s=1, g=8"});
  EXPECT_TRUE(provably_less(*bound.cx, bound.read("k"), bound.read("H"))) << "but in this binding";
  EXPECT_TRUE(provably_less_equal(*bound.cx, bound.read("W"), bound.read("H")));
}

TEST_F(BoundsTest, DivisibilityFollowsFactors) {
  const auto divisible = [this](const char* text, const char* by) {
    return provably_divisible(*cx, read(text), value_of(read(by)));
  };
  EXPECT_TRUE(divisible("4*t + 8*u", "4"));
  EXPECT_FALSE(divisible("4*t + 2*u", "4"));
  EXPECT_TRUE(divisible("2*W*t", "W"));
  EXPECT_TRUE(divisible("8*t/2", "4"));
  EXPECT_TRUE(divisible("12*t % 8", "4"));
  EXPECT_TRUE(divisible("min(4*t, 8)", "4"));
  EXPECT_TRUE(divisible("2*(6*t/3)", "4"));
  EXPECT_FALSE(divisible("Ci", "g"));
}

TEST_F(BoundsTest, ResiduesFollowSums) {
  EXPECT_EQ(residue_of(read("8*t + 4*u + 3")), (Residue{4, 3}));
  EXPECT_EQ(residue_of(read("8*t - 1")), (Residue{8, 7}));
  EXPECT_EQ(residue_of(read("7")), (Residue{0, 7}));
  EXPECT_EQ(residue_of(read("max(8*t + 1, 4*u + 5)")), (Residue{4, 1}));
  EXPECT_EQ(residue_of(read("(16*t + 5)/4")), (Residue{4, 1}));
  EXPECT_EQ(residue_of(read("(6*t + 1) % 4")), (Residue{2, 1}));
  EXPECT_EQ(residue_of(read("t")), Residue{});
}

}  // namespace
}  // namespace cambium::expr

#include "expr/size.h"

#include <limits>
#include <unordered_set>

#include <gtest/gtest.h>

namespace cambium::expr {
namespace {

const Size kH = Size::var({0});
const Size kW = Size::var({1});
const Size kK = Size::var({kMaxPrimary});
const Size kG = Size::var({kMaxPrimary + 1});

TEST(Size, ProductAddsPowersAndMultipliesNumbers) {
  const Size s = *product(*product(Size(4), kH), *product(Size(3), *product(kH, kK)));
  EXPECT_EQ(s.factor(), 12);
  EXPECT_EQ(s.powers()[SizeVar{0}], 2);
  EXPECT_EQ(s.powers()[SizeVar{kMaxPrimary}], 1);
  EXPECT_TRUE(s.is_whole());
}

TEST(Size, QuotientUndoesProduct) {
  const Size s = *product(*product(Size(6), kH), kG);
  EXPECT_EQ(*quotient(s, *product(Size(3), kG)), *product(Size(2), kH));
  const Size ratio = *quotient(kH, kG);
  EXPECT_FALSE(ratio.is_whole());
  EXPECT_EQ(*product(ratio, kG), kH);
}

TEST(Size, PowersIncludingNegativeOnes) {
  EXPECT_EQ(*power(kK, 3), *product(kK, *product(kK, kK)));
  EXPECT_EQ(*power(kK, -1), *quotient(Size(), kK));
  EXPECT_TRUE(power(kK, 0)->is_one());
  EXPECT_TRUE(power(Size(), 2'000'000'000)->is_one());
}

TEST(Size, DividesOnlyWhenItDoesSoForEveryValue) {
  EXPECT_TRUE(divides(kH, *product(Size(2), *product(kH, kW))));
  EXPECT_FALSE(divides(kH, kW));
  EXPECT_FALSE(divides(Size(2), kW));
  EXPECT_TRUE(divides(*quotient(kH, kG), kH)) << "H / (H/g) is g";
}

TEST(Size, RefusesWhatIsNoPositiveNumber) {
  EXPECT_EQ(Size::constant(0).rejection().reason(), Reason::SizeNotPositive);
  EXPECT_EQ(Size::constant(-3).rejection().message(), "a size must be a positive number, not -3");
}

TEST(Size, RefusesNumbersBeyond64Bits) {
  const Size large(std::numeric_limits<std::int64_t>::max() / 2);
  EXPECT_TRUE(product(large, Size(2)).ok());
  EXPECT_EQ(product(large, Size(3)).rejection().reason(), Reason::SizeOverflow);
  EXPECT_EQ(power(large, 2).rejection().reason(), Reason::SizeOverflow);
}

TEST(Size, RefusesPowersBeyondABytes) {
  const Size most = Size::var({0}, 127);
  EXPECT_EQ(product(most, kH).rejection().reason(), Reason::SizePowerRange);
  EXPECT_EQ(quotient(Size::var({0}, -128), kH).rejection().reason(), Reason::SizePowerRange);
}

TEST(Size, RefusesAConstantThatDoesNotDivide) {
  EXPECT_EQ(quotient(Size(10), Size(4)).rejection().reason(), Reason::SizeNotDivisible);
}

TEST(Size, EqualSizesHashAndOrderEqually) {
  const Size a = *product(kH, kK);
  const Size b = *product(kK, kH);
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.hash(), b.hash());
  EXPECT_EQ(a.fingerprint(), b.fingerprint());
  EXPECT_NE(a.fingerprint(), kH.fingerprint());
  EXPECT_LT(kW, kH) << "primary powers in order, the first counts most";
  EXPECT_LT(kK, kH);
  const std::unordered_set<Size> distinct{a, b, kH, kK, Size(2), Size(3), Size()};
  EXPECT_EQ(distinct.size(), 6u);
}

TEST(SizeDeathTest, AZeroThatSlippedPastTheChecksIsABug) {
  EXPECT_DEATH((void)Size(0), "a size is positive");
}

}  // namespace
}  // namespace cambium::expr

#include "base/random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace cambium {
namespace {

// A change of these numbers is a change of every recorded search.
TEST(Rng, ASeedMeansTheSameNumbersEverywhere) {
  Rng rng(1);
  EXPECT_EQ(rng.next_u64(), 13521585773706572465u);
  EXPECT_EQ(rng.below(1000), 706u);
  EXPECT_EQ(rng.uniform(), 0x1.7273d1868eb23p-1);
  EXPECT_EQ(rng.normal(), -0x1.efc112086b59dp-3);
  EXPECT_EQ(rng.split(7).next_u64(), 3236043624583063403u);
  EXPECT_EQ(rng.split("shuffle").next_u64(), 6190073191055075370u);
  std::vector<int> cards = {0, 1, 2, 3, 4, 5, 6, 7};
  rng.shuffle(std::span(cards));
  EXPECT_EQ(cards, (std::vector<int>{1, 2, 0, 4, 5, 6, 3, 7}));
}

TEST(Rng, SplittingDoesNotDependOnWhatWasDrawn) {
  Rng fresh(3);
  Rng used(3);
  for (int i = 0; i < 10; ++i) (void)used.next_u64();
  EXPECT_EQ(fresh.split(5).next_u64(), used.split(5).next_u64());
  EXPECT_NE(fresh.split(5).next_u64(), fresh.split(6).next_u64());
  EXPECT_NE(fresh.split(5).split(1).next_u64(), fresh.split(1).split(5).next_u64());
}

TEST(Rng, BelowIsUnbiasedWhereModuloWouldNotBe) {
  // Of 3 * 2^62 numbers, modulo would give the lowest third twice as often as the others.
  const std::uint64_t n = 3ULL << 62;
  Rng rng(11);
  std::array<int, 3> thirds{};
  for (int i = 0; i < 30000; ++i) ++thirds[static_cast<std::size_t>(rng.below(n) >> 62)];
  for (const int count : thirds) EXPECT_NEAR(count, 10000, 400);
}

TEST(Rng, BetweenReachesBothEndsAndEveryRange) {
  Rng rng(2);
  std::array<int, 5> seen{};
  for (int i = 0; i < 1000; ++i) ++seen[static_cast<std::size_t>(rng.between(-2, 2) + 2)];
  EXPECT_GT(*std::min_element(seen.begin(), seen.end()), 130);
  using Limits = std::numeric_limits<std::int64_t>;
  EXPECT_NE(rng.between(Limits::min(), Limits::max()), rng.between(Limits::min(), Limits::max()));
  EXPECT_EQ(rng.between(Limits::max(), Limits::max()), Limits::max());
}

TEST(Rng, NormalHasTheMomentsAndTailsOfANormal) {
  Rng rng(5);
  const int n = 200000;
  double sum = 0, square = 0, fourth = 0;
  int beyond_two = 0;
  for (int i = 0; i < n; ++i) {
    const double x = rng.normal();
    sum += x;
    square += x * x;
    fourth += x * x * x * x;
    beyond_two += std::abs(x) > 2;
  }
  EXPECT_NEAR(sum / n, 0, 0.01);
  EXPECT_NEAR(square / n, 1, 0.015);
  EXPECT_NEAR(fourth / n, 3, 0.12);
  EXPECT_NEAR(beyond_two / double{n}, 0.0455, 0.002);
}

TEST(Rng, ShuffleGivesEveryOrderEquallyOften) {
  Rng rng(9);
  std::array<int, 27> orders{};
  for (int i = 0; i < 6000; ++i) {
    std::array<int, 3> cards = {0, 1, 2};
    rng.shuffle(std::span<int>(cards));
    ++orders[static_cast<std::size_t>(cards[0] * 9 + cards[1] * 3 + cards[2])];
  }
  EXPECT_EQ(std::count(orders.begin(), orders.end(), 0), 21);
  for (const int count : orders) {
    if (count != 0) {
      EXPECT_NEAR(count, 1000, 130);
    }
  }
}

}  // namespace
}  // namespace cambium

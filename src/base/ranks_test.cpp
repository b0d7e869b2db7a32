#include "base/ranks.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/random.h"

namespace cambium {
namespace {

using Values = std::vector<double>;

TEST(Ranks, EqualValuesShareAPlace) {
  EXPECT_EQ(ranks_of(Values{10, 30, 20, 20}), (Values{1, 4, 2.5, 2.5}));
  EXPECT_EQ(ranks_of(Values{}), Values{});
}

TEST(Ranks, WhatIsNoNumberStandsBelow) {
  EXPECT_EQ(ranks_of(Values{1, std::nan(""), -5}), (Values{3, 1, 2}));
}

TEST(Ranks, AnOrderAgreesWithItselfAndNotWithItsReverse) {
  const Values a{1, 2, 3, 4}, same{1, 4, 9, 16}, reverse{4, 3, 2, 1}, flat{7, 7, 7, 7};
  for (const RankStatistic statistic : {&spearman, &kendall}) {
    EXPECT_DOUBLE_EQ(statistic(a, same), 1);
    EXPECT_DOUBLE_EQ(statistic(a, reverse), -1);
    EXPECT_DOUBLE_EQ(statistic(a, flat), 0);
  }
}

// One pair of neighbours changed: Spearman 1 - 6 * 2 / (4 * 15), Kendall (5 - 1) / 6.
TEST(Ranks, IsWhatComesOutOnPaper) {
  const Values a{1, 2, 3, 4}, b{1, 3, 2, 4};
  EXPECT_DOUBLE_EQ(spearman(a, b), 0.8);
  EXPECT_DOUBLE_EQ(kendall(a, b), 4.0 / 6);
}

TEST(Ranks, SpearmanGivesTiesTheirMeanRank) {
  EXPECT_NEAR(spearman(Values{1, 1, 2}, Values{1, 2, 3}), std::sqrt(3.0) / 2, 1e-12);
}

// Pairs: (1,2) the other way, (1,3) and (2,3) alike, one of six tied on each side.
TEST(Ranks, KendallLeavesTiesOut) {
  const Values a{1, 1, 2}, b{1, 2, 3};
  EXPECT_DOUBLE_EQ(kendall(a, b), 2 / std::sqrt(2.0 * 3.0));
}

TEST(Ranks, TheSpreadHoldsTheValueAndNarrowsWithTheNumber) {
  Rng rng(3);
  const auto width = [&](int count) {
    Values a, b;
    for (int i = 0; i < count; ++i) {
      a.push_back(rng.normal());
      b.push_back(a.back() + rng.normal());
    }
    const Spread spread = bootstrapped(&spearman, a, b, 300, 1);
    EXPECT_LT(spread.low, spearman(a, b));
    EXPECT_GT(spread.high, spearman(a, b));
    const Spread again = bootstrapped(&spearman, a, b, 300, 1);
    EXPECT_EQ(spread.low, again.low);
    return spread.high - spread.low;
  };
  EXPECT_GT(width(30), 1.5 * width(300));
}

}  // namespace
}  // namespace cambium

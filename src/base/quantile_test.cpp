#include "base/quantile.h"

#include <gtest/gtest.h>

namespace cambium {
namespace {

TEST(Quantile, FindsTheSampleAtAShare) {
  const std::vector<double> values = {5, 1, 4, 2, 3};
  EXPECT_EQ(quantile(values, 0), 1);
  EXPECT_EQ(quantile(values, 0.25), 2);
  EXPECT_EQ(quantile(values, 0.75), 4);
  EXPECT_EQ(quantile(values, 1), 5);
}

TEST(Quantile, HalvesAnEvenNumberOfSamplesBetweenTheMiddleTwo) {
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({9, 1, 3}), 3);
  EXPECT_EQ(median({7}), 7);
}

TEST(Quantile, GivesZeroOfNothing) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(quantile({}, 0.5), 0);
}

}  // namespace
}  // namespace cambium

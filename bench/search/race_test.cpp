#include "search/race.h"

#include <gtest/gtest.h>

namespace cambium::bench {
namespace {

TEST(SearchRunTest, TellsWhenARewardWasReached) {
  const SearchRun run{{}, {0.2, 0.5, 0.4, 0.9}};
  EXPECT_EQ(run.tickets_to(0.5), 2u);
  EXPECT_EQ(run.tickets_to(0.6), 4u);
  EXPECT_EQ(run.tickets_to(1), 5u) << "one more than there were";
  EXPECT_EQ(run.best(0), 0);
  EXPECT_EQ(run.best(3), 0.5);
  EXPECT_EQ(run.best(100), 0.9);
}

TEST(QuartilesTest, LieBetweenValues) {
  const Quartiles quartiles = quartiles_of({4, 1, 3, 2});
  EXPECT_EQ(quartiles.mean, 2.5);
  EXPECT_EQ(quartiles.lower, 1.75);
  EXPECT_EQ(quartiles.median, 2.5);
  EXPECT_EQ(quartiles.upper, 3.25);
  EXPECT_EQ(quartiles_of({7}).upper, 7);
}

}  // namespace
}  // namespace cambium::bench

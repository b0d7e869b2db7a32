#include "search/tally.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace cambium::search {
namespace {

TEST(Tally, KeepsMeanAndVarianceOverManyRewards) {
  Tally tally;
  Rng rng(5);
  double sum = 0, squares = 0;
  constexpr int kRewards = 200000;
  for (int i = 0; i < kRewards; ++i) {
    const double reward = 0.01 * rng.uniform();
    tally.add(reward);
    sum += reward;
    squares += reward * reward;
  }
  const double mean = sum / kRewards;
  EXPECT_EQ(tally.count, kRewards);
  EXPECT_NEAR(tally.mean, mean, 1e-5 * mean);
  EXPECT_NEAR(tally.variance, squares / kRewards - mean * mean, 1e-3 * squares / kRewards);
}

TEST(Tally, IsTheSameAfterItsText) {
  Tally tally;
  for (const double reward : {0.1, 0.7, 0.3}) {
    SnapshotWriter out;
    write(out, tally);
    const std::string text = std::move(out).done();
    SnapshotReader in(text);
    EXPECT_EQ(read_tally(in), tally);
    EXPECT_TRUE(in.finish().ok());
    tally.add(reward);
  }
}

TEST(Ucb, IsWiderForWhatWasTriedLessAndForWhatVaries) {
  EXPECT_GT(ucb_width(1, 0, 100), ucb_width(10, 0, 100));
  EXPECT_GT(ucb_width(2000, 0.2, 10000), ucb_width(2000, 0, 10000));
  EXPECT_GT(ucb_width(10, 0, 1000), ucb_width(10, 0, 100));
  EXPECT_EQ(ucb_width(1, 0.1, 1), 0);
}

TEST(Range, BringsRewardsToOne) {
  Range range;
  EXPECT_EQ(range.place(0), 0);
  for (const double value : {0.2, 0.4, 0.3}) range.add(value);
  EXPECT_DOUBLE_EQ(range.place(0.2), 0);
  EXPECT_DOUBLE_EQ(range.place(0.4), 1);
}

}  // namespace
}  // namespace cambium::search

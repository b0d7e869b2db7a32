#include "measure/timing.h"

#include <gtest/gtest.h>

#include "measure/probes.h"

namespace cambium::measure {
namespace {

Call work(std::int64_t iterations) {
  return [iterations] {
    volatile float kept = host_probes().fma(iterations);
    (void)kept;
  };
}

// Bounds here are wide: the machine is shared. bench/ has what the protocols reach.
TEST(Timing, TheSameIsAsFastAsItself) {
  const Comparison same = compare(work(2000), work(2000));
  EXPECT_NEAR(same.ratio, 1, 0.2);
  EXPECT_EQ(same.rounds, 15);
  EXPECT_LE(same.low, same.ratio);
  EXPECT_GE(same.high, same.ratio);
}

TEST(Timing, TwiceTheWorkTakesTwiceTheTime) {
  const Comparison twice = compare(work(2000), work(4000));
  EXPECT_GT(twice.ratio, 1.5);
  EXPECT_LT(twice.ratio, 2.7);
  EXPECT_GT(twice.theirs_seconds, twice.ours_seconds);
}

TEST(Timing, ShortCallsShareASliceAndLongOnesHaveTheirOwn) {
  const Burst brief = time_burst(work(1));
  EXPECT_GT(brief.calls_per_slice, 100);
  EXPECT_EQ(brief.slices, 8);
  const Burst lengthy = time_burst(work(2'000'000));
  EXPECT_EQ(lengthy.calls_per_slice, 1);
  EXPECT_LT(lengthy.slices, 8);
  EXPECT_GE(lengthy.slices, 2);
}

TEST(Timing, SeveralBurstsGiveTheOneInTheMiddle) {
  int calls = 0;
  // Each is a slice of its own, behind a warm-up of one call.
  const Call sleep = [&calls] {
    const long milliseconds[] = {3, 9, 5};
    const timespec t{0, milliseconds[calls++ / 3 % 3] * 1'000'000};
    ::nanosleep(&t, nullptr);
  };
  BurstOptions options;
  options.slices = 2;
  const Bursts three = time_bursts(sleep, 3, options);
  EXPECT_EQ(three.count, 3);
  EXPECT_GT(three.seconds, 4.5e-3);
  EXPECT_LT(three.seconds, 8.5e-3);
  EXPECT_GT(three.spread, 0.1);
  EXPECT_EQ(time_bursts(sleep, 1, options).spread, 0);
}

TEST(Timing, ColdCachesAreSlower) {
  std::vector<float> data(1 << 16, 1.0f);
  const std::int64_t unit = kReadUnroll * host_probes().lanes;
  float* const aligned =
      data.data() + (64 - reinterpret_cast<std::uintptr_t>(data.data()) % 64) / 4;
  const auto count = (static_cast<std::int64_t>(data.size()) - 16) / unit * unit;
  const Call read = [&] {
    volatile float kept = host_probes().read(aligned, count);
    (void)kept;
  };
  BurstOptions cold;
  cold.caches = Caches::Cold;
  cold.slices = 3;
  const Burst slow = time_burst(read, cold);
  EXPECT_EQ(slow.calls_per_slice, 1);
  EXPECT_GT(slow.seconds, 1.5 * time_burst(read).seconds);
}

TEST(Timing, TheClockOfAThreadStandsStillWhileItSleeps) {
  const Call sleep = [] {
    const timespec t{0, 3'000'000};
    ::nanosleep(&t, nullptr);
  };
  BurstOptions options;
  options.clock = Clock::ThreadCpu;
  EXPECT_LT(time_burst(sleep, options).seconds, 1e-3);
  EXPECT_GT(time_burst(sleep).seconds, 2.5e-3);
}

TEST(Timing, RankingStopsWhenTheMachineIsSteady) {
  RankingOptions options;
  options.moved = 1e9;
  const Ranking once = rank(work(1000), options);
  EXPECT_EQ(once.attempts, 1);
  EXPECT_GT(once.calibration, 0);
  options.moved = -1;
  options.attempts = 3;
  EXPECT_EQ(rank(work(1000), options).attempts, 3);
}

}  // namespace
}  // namespace cambium::measure

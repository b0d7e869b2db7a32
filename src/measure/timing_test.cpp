#include "measure/timing.h"

#include <array>
#include <functional>
#include <utility>

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

// Calls that take as long as they say, whatever else runs on this machine: they move the clock. How
// the protocols do with the real one is in timing_perf_test.cpp.
class PlantedTiming : public ::testing::Test {
 protected:
  Call taking(double seconds) {
    return [this, seconds] { clock_ += seconds; };
  }
  Comparison compared(double ours, double theirs) {
    return compare(taking(ours), taking(theirs), {}, now_);
  }
  Burst burst(double seconds, const BurstOptions& options = {}) {
    return time_burst(taking(seconds), options, now_);
  }
  Bursts bursts(std::function<double()> seconds, std::int64_t count, const BurstOptions& options) {
    return time_bursts([this, seconds = std::move(seconds)] { clock_ += seconds(); }, count,
                       options, now_);
  }

 private:
  double clock_ = 0;
  const Now now_ = [this](Clock) { return clock_; };
};

TEST_F(PlantedTiming, TheSameIsAsFastAsItself) {
  const Comparison same = compared(1e-5, 1e-5);
  EXPECT_NEAR(same.ratio, 1, 1e-6);
  EXPECT_EQ(same.rounds, 15);
  EXPECT_LE(same.low, same.ratio);
  EXPECT_GE(same.high, same.ratio);
}

TEST_F(PlantedTiming, TwiceTheWorkTakesTwiceTheTime) {
  const Comparison twice = compared(1e-5, 2e-5);
  EXPECT_NEAR(twice.ratio, 2, 1e-6);
  EXPECT_NEAR(twice.spread, 0, 1e-6);
  EXPECT_NEAR(twice.ours_seconds, 1e-5, 1e-10);
  EXPECT_NEAR(twice.theirs_seconds, 2e-5, 1e-10);
}

TEST_F(PlantedTiming, ShortCallsShareASliceAndLongOnesHaveTheirOwn) {
  const Burst brief = burst(1e-6);
  EXPECT_NEAR(static_cast<double>(brief.calls_per_slice), 300, 1);
  EXPECT_EQ(brief.slices, 8);
  const Burst lengthy = burst(8e-3);
  EXPECT_EQ(lengthy.calls_per_slice, 1);
  EXPECT_EQ(lengthy.slices, 3);
  EXPECT_EQ(burst(1).slices, 2);
}

TEST_F(PlantedTiming, SeveralBurstsGiveTheOneInTheMiddle) {
  int calls = 0;
  // Each burst is a warm-up of one call and two slices of one call.
  const auto next = [&calls] { return std::array{3e-3, 9e-3, 5e-3}[calls++ / 3 % 3]; };
  BurstOptions options;
  options.slices = 2;
  const Bursts three = bursts(next, 3, options);
  EXPECT_EQ(three.count, 3);
  EXPECT_NEAR(three.seconds, 5e-3, 1e-9);
  EXPECT_GT(three.spread, 0.1);
  EXPECT_EQ(bursts([] { return 3e-3; }, 1, options).spread, 0);
}

TEST_F(PlantedTiming, CachesAreEmptiedBeforeEveryCall) {
  BurstOptions cold;
  cold.caches = Caches::Cold;
  cold.slices = 3;
  const Burst slow = burst(1e-6, cold);
  EXPECT_EQ(slow.calls_per_slice, 1);
  EXPECT_EQ(slow.slices, 3);
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

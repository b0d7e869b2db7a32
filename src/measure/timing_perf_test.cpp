// What the protocols of timing reach by the real clock, on a machine that has nothing else to do.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "measure/probes.h"
#include "measure/timing.h"

namespace cambium::measure {
namespace {

Call work(std::int64_t iterations) {
  return [iterations] {
    volatile float kept = host_probes().fma(iterations);
    (void)kept;
  };
}

TEST(Timing, TheSameIsAsFastAsItself) {
  EXPECT_NEAR(compare(work(2000), work(2000)).ratio, 1, 0.2);
}

TEST(Timing, TwiceTheWorkTakesTwiceTheTime) {
  const Comparison twice = compare(work(2000), work(4000));
  EXPECT_GT(twice.ratio, 1.5);
  EXPECT_LT(twice.ratio, 2.7);
  EXPECT_GT(twice.theirs_seconds, twice.ours_seconds);
}

TEST(Timing, ShortCallsShareASlice) {
  EXPECT_GT(time_burst(work(1)).calls_per_slice, 100);
  EXPECT_EQ(time_burst(work(2'000'000)).calls_per_slice, 1);
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

}  // namespace
}  // namespace cambium::measure

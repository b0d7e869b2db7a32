#include "compile/memory_plan.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/random.h"

namespace cambium::compile {
namespace {

TEST(MemoryPlan, AChainTakesItsLargestPair) {
  const std::vector<Lifetime> chain{{640, 0, 1}, {1280, 1, 2}, {640, 2, 3}, {1280, 3, 4}};
  const MemoryPlan plan = plan_memory(chain);
  EXPECT_EQ(plan.bytes, 1920);
  EXPECT_EQ(plan.live_bytes, 1920);
}

TEST(MemoryPlan, NothingTakesNothing) {
  EXPECT_EQ(plan_memory({}).bytes, 0);
}

TEST(MemoryPlan, SizesAreRoundedToTheAlignment) {
  const std::vector<Lifetime> two{{1, 0, 1}, {65, 1, 1}};
  const MemoryPlan plan = plan_memory(two);
  EXPECT_EQ(plan.bytes, 64 + 128);
  for (const std::int64_t offset : plan.offsets) EXPECT_EQ(offset % kAlignment, 0);
}

// Byte by byte and call by call: nothing that is alive shares memory with something else.
void expect_apart(std::span<const Lifetime> lifetimes, const MemoryPlan& plan, std::int64_t calls) {
  std::int64_t most = 0;
  for (std::int64_t call = 0; call < calls; ++call) {
    std::vector<int> owners(static_cast<std::size_t>(plan.bytes), 0);
    std::int64_t alive = 0;
    for (std::size_t i = 0; i < lifetimes.size(); ++i) {
      if (lifetimes[i].first > call || lifetimes[i].last < call) continue;
      alive += aligned(lifetimes[i].bytes);
      ASSERT_LE(plan.offsets[i] + lifetimes[i].bytes, plan.bytes);
      for (std::int64_t b = 0; b < lifetimes[i].bytes; ++b) {
        ASSERT_EQ(owners[static_cast<std::size_t>(plan.offsets[i] + b)]++, 0);
      }
    }
    most = std::max(most, alive);
  }
  EXPECT_EQ(plan.live_bytes, most);
}

TEST(MemoryPlan, ValuesThatAreAliveTogetherNeverOverlap) {
  double worst = 1;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Rng rng(seed);
    const auto calls = static_cast<std::int64_t>(1 + rng.below(20));
    std::vector<Lifetime> lifetimes;
    for (std::int64_t first = 0; first < calls; ++first) {
      // As in networks: most values are read by the next call, some much later.
      const auto span = static_cast<std::int64_t>(rng.chance(0.8) ? 1 : rng.below(8));
      lifetimes.push_back({static_cast<std::int64_t>(1 + rng.below(2000)), first,
                           std::min(first + span, calls - 1)});
    }
    const MemoryPlan plan = plan_memory(lifetimes);
    SCOPED_TRACE(seed);
    expect_apart(lifetimes, plan, calls);
    worst = std::max(worst, static_cast<double>(plan.bytes) / static_cast<double>(plan.live_bytes));
  }
  EXPECT_LE(worst, 1.3);
}

}  // namespace
}  // namespace cambium::compile

#include "trial/weight_traffic.h"

#include <vector>

#include <gtest/gtest.h>

namespace cambium::trial {
namespace {

constexpr std::int64_t kMega = 1 << 20;

Machine machine() {
  Machine made;
  made.l1_bytes = kMega / 32;
  made.l2_bytes = kMega;
  made.l3_bytes = 16 * kMega;
  made.ceilings = Ceilings();
  made.ceilings->l1_gbs = 400;
  made.ceilings->l2_gbs = 200;
  made.ceilings->l3_gbs = 100;
  made.ceilings->dram_gbs = 25;
  made.ceilings->all_dram_gbs = 40;
  return made;
}

double seconds(const std::vector<KernelBytes>& kernels, int threads = 1) {
  return weight_traffic_seconds(kernels, machine(), threads);
}

TEST(WeightTraffic, IsNoneWhereAllWeightsStayInTheCacheOfEach) {
  EXPECT_EQ(seconds({{1000, 1000, 4}}), 0);
  EXPECT_EQ(seconds({{kMega / 2, 0, 1}}), 0) << "one kernel alone is the network";
  EXPECT_EQ(seconds({{0, 5 * kMega, 100}}), 0) << "it has no weights";
  EXPECT_EQ(seconds({}), 0);
}

TEST(WeightTraffic, ReadsWeightsFromTheLevelThatHoldsAll) {
  // 10 MB of weights: in the third cache together, each in the second.
  const double mega = kMega;
  EXPECT_DOUBLE_EQ(seconds({{kMega / 2, 0, 20}}), 10 * mega * (1 / 100e9 - 1 / 200e9));
  // 40 MB: in memory; the large kernel was read from the third cache when it was timed.
  EXPECT_DOUBLE_EQ(seconds({{8 * kMega, kMega, 4}, {kMega / 2, 0, 16}}),
                   32 * mega * (1 / 25e9 - 1 / 100e9) + 8 * mega * (1 / 25e9 - 1 / 200e9));
}

TEST(WeightTraffic, CountsWhatAKernelAloneReadFromMemoryAlready) {
  EXPECT_EQ(seconds({{32 * kMega, 0, 2}}), 0);
  EXPECT_EQ(seconds({{8 * kMega, 16 * kMega, 3}}), 0) << "its inputs drove them out";
}

TEST(WeightTraffic, SeveralThreadsShareTheMemory) {
  const double mega = kMega;
  EXPECT_DOUBLE_EQ(seconds({{8 * kMega, 0, 4}}, 2), 32 * mega * (1 / 40e9 - 1 / 200e9));
}

TEST(WeightTraffic, IsUnknownWithoutBandwidths) {
  Machine bare = machine();
  bare.ceilings.reset();
  EXPECT_EQ(weight_traffic_seconds(std::vector<KernelBytes>{{8 * kMega, 0, 8}}, bare, 1), 0);
}

}  // namespace
}  // namespace cambium::trial

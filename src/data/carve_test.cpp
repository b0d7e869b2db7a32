#include "data/carve.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

namespace cambium::data {
namespace {

// 100 of class 0, 50 of class 1, 10 of class 2.
std::vector<std::int32_t> uneven_labels() {
  std::vector<std::int32_t> labels(160, 0);
  std::fill(labels.begin() + 100, labels.begin() + 150, 1);
  std::fill(labels.begin() + 150, labels.end(), 2);
  return labels;
}

TEST(Carve, SplitsEverythingIntoTwoDisjointSortedParts) {
  const auto labels = uneven_labels();
  for (const bool stratified : {true, false}) {
    const Carved carved = carve(labels, {.share = 0.2, .stratified = stratified, .seed = 3});
    EXPECT_TRUE(std::is_sorted(carved.train.begin(), carved.train.end()));
    EXPECT_TRUE(std::is_sorted(carved.validation.begin(), carved.validation.end()));
    std::vector<std::uint32_t> all = carved.train;
    all.insert(all.end(), carved.validation.begin(), carved.validation.end());
    std::sort(all.begin(), all.end());
    std::vector<std::uint32_t> expected(labels.size());
    std::iota(expected.begin(), expected.end(), 0U);
    EXPECT_EQ(all, expected);
    EXPECT_EQ(carved.validation.size(), 32U);
  }
}

TEST(Carve, StratifiedTakesTheShareOfEveryClass) {
  const auto labels = uneven_labels();
  const Carved carved = carve(labels, {.share = 0.2, .stratified = true, .seed = 3});
  std::vector<int> counts(3);
  for (const std::uint32_t i : carved.validation) ++counts[static_cast<std::size_t>(labels[i])];
  EXPECT_EQ(counts, (std::vector<int>{20, 10, 2}));
}

TEST(Carve, TheSeedDecidesAndNothingElse) {
  const auto labels = uneven_labels();
  const CarveOptions three{.share = 0.3, .stratified = true, .seed = 3};
  const CarveOptions four{.share = 0.3, .stratified = true, .seed = 4};
  EXPECT_EQ(carve(labels, three).validation, carve(labels, three).validation);
  EXPECT_NE(carve(labels, three).validation, carve(labels, four).validation);
}

TEST(Carve, AShareOfZeroLeavesAllForTraining) {
  const Carved carved = carve(uneven_labels(), {.share = 0, .stratified = true, .seed = 1});
  EXPECT_TRUE(carved.validation.empty());
  EXPECT_EQ(carved.train.size(), 160U);
}

}  // namespace
}  // namespace cambium::data

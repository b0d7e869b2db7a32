// A tree of a hundred thousand tickets: goes on within seconds, from a text that a study can keep.
#include <ctime>

#include <gtest/gtest.h>

#include "search/strategy.h"
#include "search/testing/planted.h"
#include "spaces/testing/toy_tree.h"

namespace cambium::search {
namespace {

using spaces::testing::ToyTree;

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

TEST(TreeSearchOfAHundredThousand, GoesOnInTwoSecondsFromACompactText) {
  const std::vector<int> lengths = {3, 4, 5, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 21};
  StrategyOptions options;  // spread over the space: what a search returns to grows no tree
  options.settings = {{"exploration", "5"}, {"widening", "0.8"}, {"draws", "1"}};
  ToyTree space({.lengths = lengths, .total = 200});
  const auto strategy = make_strategy(options, {}, {&space}).value();
  testing::SmallDriver driver(*strategy, testing::judge_words(lengths, "bdfk"), 4);
  driver.run(100000);
  ASSERT_EQ(driver.trace().candidates.size(), 100000u);

  const double start = cpu_seconds();
  const std::string state = strategy->state();
  const double written = cpu_seconds();
  ToyTree fresh({.lengths = lengths, .total = 200});
  const auto other = make_strategy(options, {}, {&fresh}).value();
  ASSERT_TRUE(other->restore(state).ok());
  const double read = cpu_seconds();
  RecordProperty("state_bytes", std::to_string(state.size()));
  RecordProperty("write_seconds", std::to_string(written - start));
  RecordProperty("read_seconds", std::to_string(read - written));
  EXPECT_LT(read - written, 2);
  EXPECT_LT(written - start, 2);
  EXPECT_LT(state.size(), 200u * 100000);

  testing::SmallDriver again = driver;
  again.go_on_with(*other);
  driver.run(50);
  again.run(50);
  EXPECT_EQ(driver.trace().candidates, again.trace().candidates);
}

}  // namespace
}  // namespace cambium::search

#include "tune/budget.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace cambium::tune {
namespace {

constexpr double kRefused = std::numeric_limits<double>::infinity();

TEST(Budget, ExpectsMoreWhereMoreIsLeftAboveTheRoofline) {
  const std::vector<double> best(32, 2e-3);
  const Standing far{1, 0.1e-3, best, 32, false}, near{1, 1.9e-3, best, 32, false};
  EXPECT_GT(expected_gain(far, 16), expected_gain(near, 16));
  const Standing often{10, 1.9e-3, best, 32, false};
  EXPECT_DOUBLE_EQ(expected_gain(often, 16), 10 * expected_gain(near, 16));
}

TEST(Budget, ExpectsMoreWhereTheLastTrialsGained) {
  const std::vector<double> flat(32, 2e-3);
  std::vector<double> falling(32, 2e-3);
  for (std::size_t i = 0; i < 20; ++i) falling[i] = 4e-3;
  EXPECT_GT(expected_gain({1, 0, falling, 32, false}, 16),
            expected_gain({1, 0, flat, 32, false}, 16));
}

TEST(Budget, ExpectsNothingOfATaskThatNeverRan) {
  const std::vector<double> refused(16, kRefused);
  EXPECT_EQ(expected_gain({1, 0, refused, 16, false}, 16), 0);
  EXPECT_EQ(expected_gain({1, 0, {}, 16, false}, 16), 0);
}

TEST(Budget, GivesEveryTaskABatchThenGoesByGain) {
  const BudgetLimits limits{16, 64};
  const std::vector<double> slow(16, 9e-3), fast(16, 1e-3);
  std::vector<Standing> tasks = {{1, 0, {}, 0, false}, {1, 0, {}, 0, false}, {1, 0, {}, 0, false}};
  EXPECT_EQ(next_task(tasks, limits), 0U);
  tasks[0] = {1, 0, fast, 16, false};
  EXPECT_EQ(next_task(tasks, limits), 1U);
  tasks[1] = {1, 0, slow, 16, false};
  EXPECT_EQ(next_task(tasks, limits), 2U);
  tasks[2] = {1, 0, {}, 16, false};
  EXPECT_EQ(next_task(tasks, limits), 1U);
  tasks[1].is_exhausted = true;
  EXPECT_EQ(next_task(tasks, limits), 0U);
}

TEST(Budget, KeepsTheLeastOfEveryTaskAndCapsTheMost) {
  const BudgetLimits limits{16, 64};
  const std::vector<double> best(16, 1e-3);
  // 192 trials for three; the greedy one has what is not owed to the others.
  std::vector<Standing> tasks = {
      {100, 0, best, 128, false}, {1, 0, best, 16, false}, {1, 0, best, 16, false}};
  EXPECT_EQ(trials_left(tasks, limits), 32);
  EXPECT_NE(next_task(tasks, limits), 0U);
  // Five are free: the batch of whoever gains most ends there.
  tasks[0].proposed = 123;
  EXPECT_EQ(trials_left(tasks, limits), 37);
  EXPECT_EQ(next_task(tasks, limits), 0U);
  EXPECT_EQ(next_batch(tasks, limits, 0), 5);
  // What is known of one task from long ago starves no other.
  tasks = {{100, 0, best, 100'000, false}, {1, 0, {}, 0, false}};
  EXPECT_EQ(trials_left(tasks, limits), 32);
  EXPECT_EQ(next_task(tasks, limits), 1U);
}

TEST(Budget, EndsWhenAllIsSpentOrExhausted) {
  const BudgetLimits limits{16, 64};
  const std::vector<double> best(64, 1e-3);
  std::vector<Standing> tasks = {{1, 0, best, 64, false}};
  EXPECT_EQ(next_task(tasks, limits), std::nullopt);
  tasks[0] = {1, 0, best, 32, true};
  EXPECT_EQ(next_task(tasks, limits), std::nullopt);
}

}  // namespace
}  // namespace cambium::tune

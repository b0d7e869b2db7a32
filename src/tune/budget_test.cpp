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

TEST(Budget, ExpectsTheRooflineOfATaskOfWhichNothingRanYet) {
  const std::vector<double> few(16, kRefused), many(64, kRefused);
  EXPECT_GT(expected_gain({1, 1e-3, few, 16, false}, 16), 0);
  EXPECT_GT(expected_gain({1, 1e-3, few, 16, false}, 16),
            expected_gain({1, 1e-3, many, 64, false}, 16));
  EXPECT_EQ(expected_gain({1, 1e-3, {}, 16, false}, 16), 0);
}

// Winograd's algorithm needs fewer operations than the roofline counts.
TEST(Budget, ExpectsSomethingOfATaskThatIsFasterThanTheRoofline) {
  const std::vector<double> below(64, 1e-3), near(64, 0.1e-3);
  const Standing large{1, 2e-3, below, 64, false}, small{1, 0.09e-3, near, 64, false};
  EXPECT_GT(expected_gain(large, 16), expected_gain(small, 16));
}

// Without a limit on trials, as where a clock ends the search.
TEST(Budget, LetsNoTaskFallFarBehindNorRunFarAhead) {
  const BudgetLimits limits{16, std::int64_t{1} << 40};
  const std::vector<double> slow(16, 1.0), fast(16, 1e-6);
  std::vector<Standing> tasks = {{1, 0, slow, 16, false}, {1, 0, fast, 16, false},
                                 {1, 0, fast, 16, false}, {1, 0, fast, 16, false},
                                 {1, 0, fast, 16, false}, {1, 0, fast, 16, false}};
  std::int64_t all = 0;
  for (int round = 0; round < 600; ++round) {
    const auto task = next_task(tasks, limits);
    ASSERT_TRUE(task.has_value());
    tasks[*task].proposed += next_batch(tasks, limits, *task);
  }
  for (const Standing& task : tasks) all += task.proposed;
  const double mean = static_cast<double>(all) / 6;
  for (const Standing& task : tasks) {
    EXPECT_GE(static_cast<double>(task.proposed), mean / 2 - 16);
    EXPECT_LE(static_cast<double>(task.proposed), 4 * mean + 16);
  }
  EXPECT_GT(static_cast<double>(tasks[0].proposed), 3 * mean);
  // Who is ahead goes on where all others have no more.
  for (std::size_t i = 1; i < tasks.size(); ++i) tasks[i].is_exhausted = true;
  EXPECT_EQ(next_task(tasks, limits), 0U);
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

// The best falls by steps, and then stays for `stays` trials.
std::vector<double> fallen(std::vector<double> steps, std::size_t stays) {
  steps.insert(steps.end(), stays, steps.back());
  return steps;
}

TEST(Budget, SettlesATaskAfterItsPatienceAndHalfOfItsTrials) {
  const std::vector<double> early = {4, 2, 1};
  EXPECT_FALSE(is_settled(fallen(early, 63), 64));
  EXPECT_TRUE(is_settled(fallen(early, 64), 64));
  // Where the best came late, as many trials again have to pass.
  std::vector<double> late(100, 2.0);
  late.push_back(1);
  EXPECT_FALSE(is_settled(fallen(late, 99), 64));
  EXPECT_TRUE(is_settled(fallen(late, 101), 64));
}

TEST(Budget, TakesNoGainBelowAHundredthForAGain) {
  std::vector<double> noisy = {2, 1.005};
  noisy = fallen(noisy, 70);
  noisy.push_back(1);
  EXPECT_TRUE(is_settled(noisy, 64));
  noisy.push_back(0.9);
  EXPECT_FALSE(is_settled(noisy, 64));
}

TEST(Budget, SettlesNothingWithoutPatienceNorBeforeAnythingRan) {
  EXPECT_FALSE(is_settled(fallen({1}, 1000), 0));
  EXPECT_FALSE(is_settled({}, 64));
  EXPECT_FALSE(is_settled(fallen({std::numeric_limits<double>::infinity()}, 1000), 64));
}

TEST(Budget, PlansNoTrialWhereAllTasksAreExhausted) {
  std::vector<Standing> tasks(2);
  const BudgetLimits limits{4, 10};
  EXPECT_EQ(trials_left(tasks, limits), 20);
  tasks[0].is_exhausted = true;
  EXPECT_GT(trials_left(tasks, limits), 0);
  tasks[1].is_exhausted = true;
  EXPECT_EQ(trials_left(tasks, limits), 0);
}

}  // namespace
}  // namespace cambium::tune

#include "study/scores.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "base/random.h"

namespace cambium::study {
namespace {

Scores scores_of(std::optional<double> accuracy, std::optional<double> latency = {},
                 std::optional<double> macs = {}) {
  Scores scores;
  if (accuracy) scores.set(Metric::Accuracy, {*accuracy});
  if (latency) scores.set(Metric::Latency, {*latency});
  if (macs) scores.set(Metric::Macs, {*macs});
  return scores;
}

constexpr Metric kTwo[] = {Metric::Accuracy, Metric::Latency};

TEST(Front, NeedsToBeBetterSomewhereAndWorseNowhere) {
  EXPECT_TRUE(dominates(scores_of(0.9, 1), scores_of(0.8, 1), kTwo));
  EXPECT_FALSE(dominates(scores_of(0.9, 1), scores_of(0.9, 1), kTwo));
  EXPECT_FALSE(dominates(scores_of(0.9, 2), scores_of(0.8, 1), kTwo));
  EXPECT_FALSE(dominates(scores_of(0.9, 1), scores_of(0.8), kTwo));
}

TEST(Front, TakesTheFirstOfEqualsAndLeavesOutWhatIsIncomplete) {
  const std::vector<Scores> all = {scores_of(0.8, 1), scores_of(0.9, 2),     scores_of(0.9, 2),
                                   scores_of(0.7, 3), scores_of(0.99),       scores_of(0.95, 5),
                                   scores_of(0.8, 1), scores_of(NAN, 0.0001)};
  EXPECT_EQ(pareto_front(all, kTwo), (std::vector<std::size_t>{5, 1, 0}));
  EXPECT_TRUE(pareto_front(std::vector<Scores>{}, kTwo).empty());
}

TEST(Front, LeavesOutTimesOfAnotherMachine) {
  std::vector<Scores> all = {scores_of(0.8, 1), scores_of(0.9, 2)};
  all[0].set(Metric::Latency, {1, 0, false, true});
  EXPECT_EQ(pareto_front(all, kTwo), std::vector<std::size_t>{1});
}

TEST(Front, ComesOneAfterAnotherUntilThereAreEnough) {
  const std::vector<Scores> all = {scores_of(0.9, 3), scores_of(0.8, 1), scores_of(0.89, 3),
                                   scores_of(0.79, 1), scores_of(0.5, 9)};
  std::vector<const Scores*> some = {&all[0], &all[1], &all[2], &all[3], &all[4]};
  EXPECT_EQ(best_by_fronts(some, kTwo, 4), (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(best_by_fronts(some, kTwo, 99).size(), 5u);
  some[0] = nullptr;
  EXPECT_EQ(best_by_fronts(some, kTwo, 2), (std::vector<std::size_t>{2, 1}));
}

TEST(Best, HasTheLeastLatencyMeasuredBeforeEstimated) {
  Scores guessed = scores_of({}, 0.01);
  guessed.set(Metric::Latency, {0.01, 0, true});
  EXPECT_TRUE(is_cheaper(scores_of({}, 1), scores_of({}, 2)));
  EXPECT_TRUE(is_cheaper(scores_of({}, 1), guessed));
  EXPECT_TRUE(is_cheaper(guessed, scores_of({}, {}, 5)));
  EXPECT_TRUE(is_cheaper(scores_of({}, {}, 5), scores_of({}, {}, 6)));
}

TEST(Front, IsWhatNothingDominates) {
  constexpr Metric kThree[] = {Metric::Accuracy, Metric::Latency, Metric::Macs};
  Rng rng(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<Scores> all;
    for (int i = 0; i < 60; ++i) {
      const auto draw = [&] { return static_cast<double>(rng.below(8)); };
      const double accuracy = draw(), latency = draw();
      all.push_back(scores_of(accuracy, latency, draw()));
      // In every other round some times are estimates.
      if (round % 2 == 1) all.back().set(Metric::Latency, {latency, 0, rng.chance(0.3)});
    }
    const std::vector<std::size_t> front = pareto_front(all, kThree);
    for (std::size_t i = 0; i < all.size(); ++i) {
      bool is_dominated = false, has_twin_before = false;
      for (std::size_t j = 0; j < all.size(); ++j) {
        is_dominated = is_dominated || dominates(all[j], all[i], kThree);
        bool is_equal = j < i;
        for (const Metric m : kThree) {
          is_equal = is_equal && all[i].at(m)->value == all[j].at(m)->value &&
                     all[i].at(m)->is_estimate == all[j].at(m)->is_estimate;
        }
        has_twin_before = has_twin_before || is_equal;
      }
      const bool is_on = std::find(front.begin(), front.end(), i) != front.end();
      EXPECT_EQ(is_on, !is_dominated && !has_twin_before);
    }
  }
}

}  // namespace
}  // namespace cambium::study

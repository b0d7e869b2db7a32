#include "search/metric.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/random.h"

namespace cambium::search {
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

TEST(Metric, IsFoundByItsName) {
  for (std::size_t i = 0; i < kMetrics; ++i) {
    const auto metric = static_cast<Metric>(i);
    EXPECT_EQ(metric_named(name_of(metric)), metric);
  }
  EXPECT_EQ(metric_named("flops"), std::nullopt);
}

TEST(Metric, ReadsLikeAPersonWritesIt) {
  EXPECT_EQ(text_of(Metric::Accuracy, 0.931), "93.10 %");
  EXPECT_EQ(text_of(Metric::Latency, 0.00241), "2.41 ms");
  EXPECT_EQ(text_of(Metric::Latency, 2), "2.00 s");
  EXPECT_EQ(text_of(Metric::Latency, 12e-6), "12.00 us");
  EXPECT_EQ(text_of(Metric::Macs, 1.2e9), "1.20 G");
  EXPECT_EQ(text_of(Metric::Memory, 2048), "2.00 KiB");
  EXPECT_EQ(text_of(Metric::Perplexity, 23.456), "23.46");
}

TEST(Limit, IsAbsoluteOrAShareOfTheOriginal) {
  const Scores original = scores_of(0.9, 0.010, 4e9);
  EXPECT_DOUBLE_EQ(limit_of(Metric::Macs, "0.5x", original)->bound, 2e9);
  EXPECT_DOUBLE_EQ(limit_of(Metric::Macs, "2e9", original)->bound, 2e9);
  EXPECT_DOUBLE_EQ(limit_of(Metric::Macs, "1.5 G", original)->bound, 1.5e9);
  EXPECT_DOUBLE_EQ(limit_of(Metric::Latency, "3ms", original)->bound, 0.003);
  EXPECT_DOUBLE_EQ(limit_of(Metric::Latency, "3 s", original)->bound, 3);
  EXPECT_DOUBLE_EQ(limit_of(Metric::Memory, "2MiB", original)->bound, 2097152);
  EXPECT_DOUBLE_EQ(limit_of(Metric::Accuracy, "92%", original)->bound, 0.92);
  EXPECT_DOUBLE_EQ(accuracy_drop("1%", original)->bound, 0.89);
  EXPECT_DOUBLE_EQ(accuracy_drop("0.02", original)->bound, 0.88);
}

TEST(Limit, HoldsOnTheRightSide) {
  EXPECT_TRUE((Limit{Metric::Accuracy, 0.9}).holds(0.95));
  EXPECT_FALSE((Limit{Metric::Accuracy, 0.9}).holds(0.85));
  EXPECT_TRUE((Limit{Metric::Macs, 100}).holds(100));
  EXPECT_FALSE((Limit{Metric::Macs, 100}).holds(101));
}

TEST(Limit, RefusesWhatCannotBeRead) {
  const Scores original = scores_of(0.9, 0.010);
  for (const char* text : {"", "x", "3 parsecs", "-1", "3GB", "ms"}) {
    EXPECT_EQ(limit_of(Metric::Latency, text, original).rejection().reason(), Reason::BadOption)
        << text;
  }
  EXPECT_EQ(limit_of(Metric::Macs, "0.5x", original).rejection().reason(), Reason::BadOption);
  EXPECT_EQ(accuracy_drop("little", original).rejection().reason(), Reason::BadOption);
  EXPECT_EQ(accuracy_drop("1%", Scores{}).rejection().reason(), Reason::BadOption);
  EXPECT_EQ(
      limit_of(Metric::Latency, "3 parsecs", original).rejection().message(),
      "'3 parsecs' as a limit of latency: expected a positive number, alone or with one of: x, ms, "
      "us, ns, s");
}

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
  EXPECT_TRUE(pareto_front({}, kTwo).empty());
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
}  // namespace cambium::search

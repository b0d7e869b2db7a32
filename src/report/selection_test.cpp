#include "report/selection.h"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "base/random.h"

namespace cambium::report {
namespace {

using Indices = std::vector<std::size_t>;

Entry entry(std::size_t number, std::optional<double> accuracy, std::optional<double> latency,
            bool is_estimate = false) {
  Entry entry;
  entry.identity = fingerprint_of("entry", number);
  if (accuracy) entry.known[0] = Known{*accuracy, 0, 1, 1, false};
  if (latency) entry.known[2] = Known{*latency, 0, 1, 1, is_estimate};
  return entry;
}

Summary summary_of(const std::vector<std::pair<double, double>>& points) {
  Summary summary;
  for (const auto& [accuracy, latency] : points)
    summary.entries.push_back(entry(summary.entries.size(), accuracy, latency));
  return summary;
}

TEST(Selection, TheFrontIsWhatNothingBeats) {
  const Summary s = summary_of({{0.9, 3}, {0.8, 1}, {0.8, 2}, {0.95, 4}, {0.7, 1}, {0.9, 3}});
  EXPECT_EQ(front_of(s.entries, Metric::Accuracy, Metric::Latency), (Indices{3, 0, 1}));
}

TEST(Selection, WhatLacksAMetricOrIsNoNumberTakesNoPart) {
  Summary s = summary_of({{0.9, 3}, {std::numeric_limits<double>::quiet_NaN(), 0}});
  s.entries.push_back(entry(2, 0.99, std::nullopt));
  s.entries.push_back(entry(3, std::nullopt, 0.1));
  EXPECT_EQ(front_of(s.entries, Metric::Accuracy, Metric::Latency), Indices{0});
}

TEST(Selection, TheBestAreFrontsOneAfterAnother) {
  const Summary s = summary_of({{0.9, 3}, {0.8, 1}, {0.89, 3}, {0.79, 1}, {0.5, 9}});
  EXPECT_EQ(best_of(s.entries, Metric::Accuracy, Metric::Latency, 4), (Indices{0, 1, 2, 3}));
  EXPECT_EQ(best_of(s.entries, Metric::Accuracy, Metric::Latency, 99).size(), 5U);
}

TEST(Selection, FrontsAgreeWithComparingAllPairs) {
  Rng rng(5);
  for (int round = 0; round < 50; ++round) {
    Summary s;
    for (std::size_t i = 0; i < 40; ++i)
      s.entries.push_back(
          entry(i, static_cast<double>(rng.below(12)) / 12, static_cast<double>(rng.below(12))));
    Indices expected;
    for (std::size_t i = 0; i < s.entries.size(); ++i) {
      const double a = s.entries[i].known[0]->value, b = s.entries[i].known[2]->value;
      const bool beaten = [&] {
        for (std::size_t j = 0; j < s.entries.size(); ++j) {
          const double c = s.entries[j].known[0]->value, d = s.entries[j].known[2]->value;
          if (c >= a && d <= b && (c > a || d < b || j < i)) return true;
        }
        return false;
      }();
      if (!beaten) expected.push_back(i);
    }
    Indices front = front_of(s.entries, Metric::Accuracy, Metric::Latency);
    std::sort(front.begin(), front.end());
    EXPECT_EQ(front, expected);
  }
}

TEST(Selection, APlotOfManyShowsFrontsAndASample) {
  Rng rng(1);
  Summary s;
  for (std::size_t i = 0; i < 5000; ++i)
    s.entries.push_back(entry(i, rng.uniform(), rng.uniform()));
  const Selection selection = select(s, {20, 100, 300});
  EXPECT_EQ(selection.plottable, 5000U);
  EXPECT_LE(selection.plotted.size(), 300 + selection.pages.size() + selection.front.size());
  EXPECT_GE(selection.plotted.size(), 300U);
  EXPECT_TRUE(std::is_sorted(selection.plotted.begin(), selection.plotted.end()));
  EXPECT_EQ(std::adjacent_find(selection.plotted.begin(), selection.plotted.end()),
            selection.plotted.end());
  for (const std::size_t i : selection.front) {
    EXPECT_TRUE(selection.has_page[i]);
    EXPECT_TRUE(std::binary_search(selection.plotted.begin(), selection.plotted.end(), i));
  }
}

TEST(Selection, AStudyThatIsAllFrontIsBoundedAndSaysSo) {
  Summary s;
  for (std::size_t i = 0; i < 500; ++i)
    s.entries.push_back(entry(i, static_cast<double>(i), static_cast<double>(i)));
  const Selection selection = select(s, {10, 100, 50});
  EXPECT_EQ(selection.front.size(), 100U);
  EXPECT_EQ(selection.front_left_out, 400U);
  EXPECT_EQ(selection.pages.size(), 100U);
}

TEST(Selection, WithoutTrainingTheBestAreTheCheapest) {
  Summary s;
  for (std::size_t i = 0; i < 9; ++i) {
    s.entries.push_back(entry(i, std::nullopt, std::nullopt));
    s.entries.back().known[3] = Known{100.0 - static_cast<double>(i), 0, 0, 1, false};
    s.entries.back().known[4] = Known{5, 0, 0, 1, false};
  }
  const Selection selection = select(s, {2, 10, 10});
  EXPECT_EQ(selection.cost, Metric::Macs);
  EXPECT_EQ(selection.pages, (Indices{8, 7}));
}

TEST(Selection, QualityIsPerplexityWhereOnlyThatIsKnown) {
  Summary s;
  for (std::size_t i = 0; i < 3; ++i) {
    s.entries.push_back(entry(i, std::nullopt, 3.0 - static_cast<double>(i)));
    s.entries.back().known[1] = Known{20 + static_cast<double>(i), 0, 0, 1, false};
  }
  const Selection selection = select(s, {});
  EXPECT_EQ(selection.quality, Metric::Perplexity);
  EXPECT_EQ(selection.front, (Indices{0, 1, 2}));
  s.original = 0;
  EXPECT_EQ(cheapest_near_original(s, Metric::Perplexity, Metric::Latency), std::nullopt)
      << "21 is more than one percent above 20";
}

TEST(Selection, TheCheapestNearTheOriginalIsMeasuredAndWithinOnePoint) {
  Summary s = summary_of({{0.914, 3}, {0.905, 2}, {0.90, 1}, {0.92, 2.5}});
  EXPECT_EQ(cheapest_near_original(s, Metric::Accuracy, Metric::Latency), std::nullopt);
  s.original = 0;
  EXPECT_EQ(cheapest_near_original(s, Metric::Accuracy, Metric::Latency), 1U);
  s.entries[1].known[2]->is_estimate = true;
  EXPECT_EQ(cheapest_near_original(s, Metric::Accuracy, Metric::Latency), 3U);
}

}  // namespace
}  // namespace cambium::report

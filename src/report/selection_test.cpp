#include "report/selection.h"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "base/random.h"

namespace cambium::report {
namespace {

using study::Metric;

using Indices = std::vector<std::size_t>;
constexpr Metric kObjectives[] = {Metric::Accuracy, Metric::Latency};

Entry entry(std::size_t number, std::optional<double> accuracy, std::optional<double> latency,
            bool is_estimate = false) {
  Entry entry;
  entry.identity = fingerprint_of("entry", number);
  if (accuracy) entry.scores.set(Metric::Accuracy, {*accuracy, 0, false, false, 1, 1});
  if (latency) entry.scores.set(Metric::Latency, {*latency, 0, is_estimate, false, 1, 1});
  entry.takes_part = true;
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
  EXPECT_EQ(front_of(s.entries, kObjectives), (Indices{3, 0, 1}));
}

TEST(Selection, WhatLacksAMetricOrIsNoNumberTakesNoPart) {
  Summary s = summary_of({{0.9, 3}, {std::numeric_limits<double>::quiet_NaN(), 0}});
  s.entries.push_back(entry(2, 0.99, std::nullopt));
  s.entries.push_back(entry(3, std::nullopt, 0.1));
  EXPECT_EQ(front_of(s.entries, kObjectives), Indices{0});
}

TEST(Selection, TheFrontIsThatOfTheSearchsObjectives) {
  Summary s = summary_of({{0.9, 3}, {0.8, 4}, {0.7, 5}});
  for (std::size_t i = 0; i < 3; ++i)
    s.entries[i].scores.set(Metric::Macs, {30.0 - 10.0 * static_cast<double>(i)});
  EXPECT_EQ(select(s, {}, {}).front, Indices{0});
  const Selection selection = select(s, {Metric::Accuracy, Metric::Macs}, {});
  EXPECT_EQ(selection.front, (Indices{0, 1, 2}));
  EXPECT_EQ(selection.cost, Metric::Macs);
  s.entries[1].takes_part = false;
  EXPECT_EQ(select(s, {Metric::Accuracy, Metric::Macs}, {}).front, (Indices{0, 2}));
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
      const double a = s.entries[i].at(Metric::Accuracy)->value,
                   b = s.entries[i].at(Metric::Latency)->value;
      const bool beaten = [&] {
        for (std::size_t j = 0; j < s.entries.size(); ++j) {
          const double c = s.entries[j].at(Metric::Accuracy)->value,
                       d = s.entries[j].at(Metric::Latency)->value;
          if (c >= a && d <= b && (c > a || d < b || j < i)) return true;
        }
        return false;
      }();
      if (!beaten) expected.push_back(i);
    }
    Indices front = front_of(s.entries, kObjectives);
    std::sort(front.begin(), front.end());
    EXPECT_EQ(front, expected);
  }
}

TEST(Selection, APlotOfManyShowsFrontsAndASample) {
  Rng rng(1);
  Summary s;
  for (std::size_t i = 0; i < 5000; ++i)
    s.entries.push_back(entry(i, rng.uniform(), rng.uniform()));
  const Selection selection = select(s, {}, {20, 100, 300});
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
  const Selection selection = select(s, {}, {10, 100, 50});
  EXPECT_EQ(selection.front.size(), 100U);
  EXPECT_EQ(selection.front_left_out, 400U);
  EXPECT_EQ(selection.pages.size(), 100U);
}

TEST(Selection, WithoutTrainingTheBestAreTheCheapest) {
  Summary s;
  for (std::size_t i = 0; i < 9; ++i) {
    s.entries.push_back(entry(i, std::nullopt, std::nullopt));
    s.entries.back().scores.set(Metric::Macs, {100.0 - static_cast<double>(i)});
    s.entries.back().scores.set(Metric::Parameters, {5});
  }
  const Selection selection = select(s, {}, {2, 10, 10});
  EXPECT_EQ(selection.cost, Metric::Macs);
  EXPECT_EQ(selection.pages, (Indices{8, 7}));
}

TEST(Selection, QualityIsPerplexityWhereOnlyThatIsKnown) {
  Summary s;
  for (std::size_t i = 0; i < 3; ++i) {
    s.entries.push_back(entry(i, std::nullopt, 3.0 - static_cast<double>(i)));
    s.entries.back().scores.set(Metric::Perplexity, {20 + static_cast<double>(i)});
  }
  const Selection selection = select(s, {}, {});
  EXPECT_EQ(selection.quality, Metric::Perplexity);
  EXPECT_EQ(selection.front, (Indices{0, 1, 2}));
}

TEST(Selection, TheBestIsWithinTheLimitsOfTheSearch) {
  Summary s = summary_of({{0.914, 3}, {0.905, 2}, {0.90, 1}, {0.92, 2.5}});
  const auto best = [&s](const std::vector<study::LimitText>& within) {
    return best_of(s, select(s, {}, {}, within), Metric::Latency);
  };
  EXPECT_EQ(best({}), std::nullopt) << "there is no original";
  s.original = 0;
  EXPECT_EQ(best({}), 1U) << "within one point";
  EXPECT_EQ(best({{Metric::Accuracy, "2%", true}}), 2U);
  EXPECT_EQ(best({{Metric::Accuracy, "0%", true}}), 3U);
  EXPECT_EQ(best({{Metric::Accuracy, "soon", true}}), std::nullopt);
}

}  // namespace
}  // namespace cambium::report

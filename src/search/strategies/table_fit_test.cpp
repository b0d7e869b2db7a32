#include "search/strategies/table_fit.h"

#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace cambium::search {
namespace {

TriedComposition tried(double summed, std::optional<double> gain, double corrected = 0) {
  TriedComposition each;
  each.measured = {{0, 1}, 0.5, gain};
  each.prediction.summed = {0.5, summed};
  each.prediction.corrected = {0.5, corrected};
  return each;
}

TEST(TableFit, MeasuresErrorsAndOrder) {
  const std::vector<TriedComposition> all = {tried(1, 1.5, 1.4), tried(2, 2.1, 2.2),
                                             tried(3, 3.9, 3.9), tried(9, {})};
  const TableFit gains = fit_of(all, kGains, PairsOf::LinkedOptions);
  EXPECT_EQ(gains.compositions, 3u) << "the last one was not measured";
  EXPECT_DOUBLE_EQ(gains.error, 0.5);
  EXPECT_NEAR(gains.corrected_error, 0.1, 1e-12);
  EXPECT_EQ(gains.correlation, 1);
  const TableFit costs = fit_of(all, kCosts, PairsOf::LinkedOptions);
  EXPECT_EQ(costs.compositions, 4u);
  EXPECT_EQ(costs.error, 0);
  EXPECT_EQ(fit_of(all, kGains, PairsOf::Neighbours).compositions, 0u);
}

TEST(TableFit, IsPoorOnlyIfEnoughCompositionsSaySo) {
  Rng rng(1);
  std::vector<TriedComposition> noise, noisy;
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(fit_of(noise, kGains, PairsOf::LinkedOptions).is_poor()) << i;
    noise.push_back(tried(i, rng.uniform()));
    noisy.push_back(tried(i, i + 3 * rng.uniform()));
  }
  EXPECT_TRUE(fit_of(noise, kGains, PairsOf::LinkedOptions).is_poor());
  EXPECT_FALSE(fit_of(noisy, kGains, PairsOf::LinkedOptions).is_poor());
  for (TriedComposition& each : noise) each.prediction.is_by_neighbours = true;
  EXPECT_TRUE(fit_of(noise, kGains, PairsOf::Neighbours).is_poor());
  EXPECT_FALSE(fit_of(noise, kGains, PairsOf::LinkedOptions).is_poor());
}

// The same sum, added in another order, is no error.
TEST(TableFit, IsNotPoorWhereErrorsAreThoseOfRounding) {
  std::vector<TriedComposition> all;
  for (int i = 0; i < 30; ++i) {
    const double gain = 0.1 * (i % 2);
    all.push_back(tried(gain + 1e-16 * (i % 7), gain));
  }
  const TableFit fit = fit_of(all, kGains, PairsOf::LinkedOptions);
  EXPECT_TRUE(fit.is_exact);
  EXPECT_FALSE(fit.is_poor());
  EXPECT_DOUBLE_EQ(fit.correlation, 1);
  all.assign(30, tried(0.1, 0.1));
  EXPECT_FALSE(fit_of(all, kGains, PairsOf::LinkedOptions).is_poor()) << "all are equal";
}

}  // namespace
}  // namespace cambium::search

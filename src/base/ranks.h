// How well two orders of the same things agree, with a confidence interval. NaN scores rank below
// all others. Used by tune for its cost models and by benchmarks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cambium {

// Ranks from 1. Equal values share the mean of their ranks.
std::vector<double> ranks_of(std::span<const double> values);

// Spearman's correlation of two lists of the same length, in [-1, 1]; 0 if all values of one are
// equal.
double spearman(std::span<const double> a, std::span<const double> b);
// Kendall's tau-b: concordant minus discordant pairs, corrected for ties on both sides.
double kendall(std::span<const double> a, std::span<const double> b);

// The 95 % bootstrap interval of a statistic: the pairs are sampled with replacement.
struct Spread {
  double low = 0, high = 0;
};
using RankStatistic = double (*)(std::span<const double>, std::span<const double>);
Spread bootstrapped(RankStatistic statistic, std::span<const double> a, std::span<const double> b,
                    int samples, std::uint64_t seed);

}  // namespace cambium

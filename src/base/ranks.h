// How far two orders of the same things agree, and how sure that is. Scores that are not numbers
// stand below all others. Called by tune for its cost models and by benchmarks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cambium {

// Places from 1; equal values share the mean of theirs.
std::vector<double> ranks_of(std::span<const double> values);

// Spearman's correlation of two lists of one length, in [-1, 1]; 0 where one side is all equal.
double spearman(std::span<const double> a, std::span<const double> b);
// Kendall's tau-b: pairs in the same order less those in the other, ties left out on both sides.
double kendall(std::span<const double> a, std::span<const double> b);

// The middle 95 % of a statistic over samples of the pairs with replacement.
struct Spread {
  double low = 0, high = 0;
};
using RankStatistic = double (*)(std::span<const double>, std::span<const double>);
Spread bootstrapped(RankStatistic statistic, std::span<const double> a, std::span<const double> b,
                    int samples, std::uint64_t seed);

}  // namespace cambium

// Every sampler draws by the law that samples.h states: counts of many draws against probabilities
// found by plain enumeration, with chi-square. Seeds are fixed, so the tests do not flicker; the
// last two show that a law that is slightly wrong does not pass.
#include <cmath>
#include <map>
#include <tuple>

#include <gtest/gtest.h>

#include "schedule/sampling/samples.h"

namespace cambium::schedule {
namespace {

using Law = std::map<Ints, double>;  // probabilities of decisions
using Counts = std::map<Ints, std::int64_t>;

constexpr std::int64_t kDraws = 40'000;

template <class S>
Counts counts_of(const S& sample, std::uint64_t seed = 1) {
  Rng rng(seed);
  Counts counts;
  for (std::int64_t i = 0; i < kDraws; ++i) ++counts[sample.draw(rng).numbers];
  return counts;
}

// Whether such counts come from the law in all but one of a thousand cases (Wilson and Hilferty's
// approximation of the chi-square distribution). A draw that the law excludes never passes.
::testing::AssertionResult follows(const Counts& counts, const Law& law) {
  double chi_square = 0, total = 0;
  for (const auto& [decision, probability] : law) {
    const auto found = counts.find(decision);
    const double count = found == counts.end() ? 0 : static_cast<double>(found->second);
    const double expected = probability * static_cast<double>(kDraws);
    if (expected < 5) return ::testing::AssertionFailure() << "too few draws for this law";
    chi_square += (count - expected) * (count - expected) / expected;
    total += probability;
  }
  if (std::abs(total - 1) > 1e-9) {
    return ::testing::AssertionFailure() << "the law sums up to " << total;
  }
  for (const auto& [decision, count] : counts) {
    if (!law.contains(decision)) {
      return ::testing::AssertionFailure() << ::testing::PrintToString(decision) << " drawn";
    }
  }
  const double freedom = static_cast<double>(law.size()) - 1;
  if (freedom == 0) return ::testing::AssertionSuccess();
  const double part = 2 / (9 * freedom);
  const double limit = freedom * std::pow(1 - part + 3.09 * std::sqrt(part), 3);
  if (chi_square <= limit) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "chi-square " << chi_square << ", at most " << limit;
}

Law alike(const std::vector<Ints>& decisions) {
  Law law;
  for (const Ints& decision : decisions)
    law[decision] = 1.0 / static_cast<double>(decisions.size());
  return law;
}

Law by_weight(const Ints& weights) {
  double total = 0;
  for (const std::int64_t weight : weights) total += static_cast<double>(weight);
  Law law;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    law[{static_cast<std::int64_t>(i)}] = static_cast<double>(weights[i]) / total;
  }
  return law;
}

// All factors of that product for which `keep` holds, by trying all numbers.
template <class Keep>
std::vector<Ints> all_factors(std::int64_t product, std::size_t parts, const Keep& keep,
                              const Ints& begun = {}) {
  if (begun.size() == parts) return std::vector<Ints>(product == 1 && keep(begun) ? 1 : 0, begun);
  std::vector<Ints> found;
  for (std::int64_t factor = 1; factor <= product; ++factor) {
    if (product % factor != 0) continue;
    Ints more = begun;
    more.push_back(factor);
    for (Ints& one : all_factors(product / factor, parts, keep, more))
      found.push_back(std::move(one));
  }
  return found;
}

TEST(SampleLaws, CategoricalIsByWeight) {
  const SampleCategorical weighted{"k", Names{"a", "b", "c", "d"}, {5, 1, 0, 3}, false, 0};
  EXPECT_TRUE(follows(counts_of(weighted), by_weight(weighted.weights)));
  const SampleCategorical plain{"k", Names{"a", "b", "c"}, {}, true, 0};
  EXPECT_TRUE(follows(counts_of(plain), by_weight({1, 1, 1})));
}

TEST(SampleLaws, ComputeLocationsAreAlike) {
  const SampleComputeLocation sample{"k", "b", Names{"root", "i", "j", "inline"}, 0};
  EXPECT_TRUE(follows(counts_of(sample), by_weight({1, 1, 1, 1})));
}

TEST(SampleLaws, LayoutIsByWeight) {
  const SampleLayout sample{"k", "w", Names{"as it is", "d1, d0"}, {1, 7}, 0};
  EXPECT_TRUE(follows(counts_of(sample), by_weight({1, 7})));
}

TEST(SampleLaws, MicroKernelIsByWeight) {
  const SampleMicroKernel sample{"k", {6, 14, 8}, {4, 2, 3}, {2, 2, 1}, 0};
  EXPECT_TRUE(follows(counts_of(sample), by_weight({2, 2, 1})));
}

TEST(SampleLaws, PerfectTilesAreAllAlike) {
  for (const auto& [extent, parts, innermost] :
       {std::tuple{48, 3, 64}, {48, 3, 4}, {90, 2, 10}, {64, 4, 16}, {7, 2, 4}, {36, 1, 2}}) {
    const SamplePerfectTile sample{"k", extent, parts, innermost, {}};
    const std::int64_t limit = innermost;
    const bool is_one = parts == 1;
    const Law law = alike(all_factors(extent, static_cast<std::size_t>(parts),
                                      [&](const Ints& f) { return is_one || f.back() <= limit; }));
    EXPECT_TRUE(follows(counts_of(sample), law)) << extent << " in " << parts << " parts";
  }
}

TEST(SampleLaws, PartitionedTilesAreAllAlike) {
  struct Case {
    std::int64_t extent, padded, parts, at, multiple, innermost;
  };
  for (const Case& c :
       {Case{96, 96, 3, 1, 16, 64}, Case{96, 96, 3, 2, 16, 32}, Case{90, 96, 3, 1, 16, 8},
        Case{72, 72, 4, 2, 6, 4}, Case{100, 100, 2, 1, 1, 10}, Case{5, 16, 2, 1, 16, 16}}) {
    const SamplePartitionedTile sample{"k", c.extent, c.parts, c.at, c.multiple, c.innermost, {}};
    const Law law =
        alike(all_factors(c.padded, static_cast<std::size_t>(c.parts), [&](const Ints& f) {
          std::int64_t inside = 1;
          for (std::size_t i = static_cast<std::size_t>(c.at); i < f.size(); ++i) inside *= f[i];
          return f.back() <= c.innermost && inside % c.multiple == 0;
        }));
    EXPECT_TRUE(follows(counts_of(sample), law)) << c.extent << " by " << c.multiple;
  }
}

// The probability of one inner factor, straight from the words of samples.h.
double inner_factor(std::int64_t factor, std::int64_t left, std::int64_t limit) {
  const auto is_round = [](std::int64_t n) {
    while (n % 2 == 0) n /= 2;
    return n == 1 || n == 3;
  };
  double divisors = 0, rounds = 0;
  for (std::int64_t n = 1; n <= limit; ++n) {
    if (left % n == 0) ++divisors;
    if (is_round(n)) ++rounds;
  }
  double octaves = 0, of_octave = 0;
  for (std::int64_t low = 1; low <= limit; low *= 2) {
    ++octaves;
    const std::int64_t high = std::min(low * 2 - 1, limit);
    if (low <= factor && factor <= high) of_octave = 1.0 / static_cast<double>(high - low + 1);
  }
  return (left % factor == 0 ? 0.5 / divisors : 0) + (is_round(factor) ? 0.25 / rounds : 0) +
         0.25 * of_octave / octaves;
}

void add_loose(Law& law, const SampleImperfectTile& s, std::int64_t left, const Ints& inside,
               double probability) {
  const auto done = static_cast<std::int64_t>(inside.size());
  if (done == s.parts - 1) {
    Ints factors = {left};
    factors.insert(factors.end(), inside.begin(), inside.end());
    law[factors] += probability;
    return;
  }
  const std::int64_t limit = done == 0 ? std::min(left, s.innermost) : left;
  for (std::int64_t factor = 1; factor <= limit; ++factor) {
    Ints more = {factor};
    more.insert(more.end(), inside.begin(), inside.end());
    add_loose(law, s, (left + factor - 1) / factor, more,
              probability * inner_factor(factor, left, limit));
  }
}

TEST(SampleLaws, ImperfectTilesFavourDivisorsAndRoundNumbers) {
  for (const auto& [extent, parts, innermost] :
       {std::tuple{14, 2, 64}, {56, 2, 16}, {100, 2, 64}, {10, 3, 6}, {9, 1, 4}}) {
    const SampleImperfectTile sample{"k", extent, parts, innermost, {}};
    Law law;
    add_loose(law, sample, extent, {}, 1);
    EXPECT_TRUE(follows(counts_of(sample), law)) << extent << " in " << parts << " parts";
  }
}

TEST(SampleLaws, AreNotPassedByWeightsThatAreATenthOff) {
  const SampleCategorical sample{"k", Names{"a", "b", "c"}, {10, 10, 11}, false, 0};
  EXPECT_FALSE(follows(counts_of(sample), by_weight({1, 1, 1})));
}

// What drawing the factors one after the other among the divisors would do.
TEST(SampleLaws, AreNotPassedByTilesThatAreDrawnPartByPart) {
  Rng rng(1);
  Counts counts;
  for (std::int64_t i = 0; i < kDraws; ++i) {
    const auto divisor_of = [&](std::int64_t n) {
      for (;;) {
        const std::int64_t d = rng.between(1, n);
        if (n % d == 0) return d;
      }
    };
    const std::int64_t last = divisor_of(12), middle = divisor_of(12 / last);
    ++counts[{12 / last / middle, middle, last}];
  }
  EXPECT_FALSE(follows(counts, alike(all_factors(12, 3, [](const Ints&) { return true; }))));
}

}  // namespace
}  // namespace cambium::schedule

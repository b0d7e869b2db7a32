// The knapsack against trying all choices, with and without linked sites, and its bound where it
// must round.
#include "search/knapsack.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include <gtest/gtest.h>

#include "base/random.h"

namespace cambium::search {
namespace {

// Sums of a choice; nothing if a pair of it is not allowed.
std::optional<Weighed> sum_of(const Knapsack& sack, const std::vector<std::int32_t>& choice) {
  Weighed sum;
  for (std::size_t site = 0; site < choice.size(); ++site) {
    const Weighed& own = sack.sites[site][static_cast<std::size_t>(choice[site])];
    sum.cost += own.cost;
    sum.gain += own.gain;
  }
  for (const SiteLink& link : sack.links) {
    for (const CoupledPair& pair : link.pairs) {
      if (choice[link.first] != pair.first || choice[link.second] != pair.second) continue;
      if (!pair.is_allowed) return std::nullopt;
      sum.cost += pair.more.cost;
      sum.gain += pair.more.gain;
    }
  }
  return sum;
}

// The front by trying everything.
std::vector<Weighed> tried_front(const Knapsack& sack) {
  std::vector<Weighed> sums;
  std::vector<std::int32_t> choice(sack.sites.size(), 0);
  for (;;) {
    const auto sum = sum_of(sack, choice);
    if (sum && sum->gain >= sack.least_gain) sums.push_back(*sum);
    std::size_t site = 0;
    while (site < choice.size() &&
           ++choice[site] == static_cast<std::int32_t>(sack.sites[site].size())) {
      choice[site++] = 0;
    }
    if (site == choice.size()) break;
  }
  std::sort(sums.begin(), sums.end(), [](const Weighed& a, const Weighed& b) {
    return a.cost != b.cost ? a.cost < b.cost : a.gain > b.gain;
  });
  std::vector<Weighed> front;
  for (const Weighed& sum : sums) {
    if (front.empty() || sum.gain > front.back().gain) front.push_back(sum);
  }
  return front;
}

// Whole numbers: all orders of adding them give the same bits.
Weighed drawn(Rng& rng, std::int64_t most) {
  return {static_cast<double>(rng.between(-most, most)),
          static_cast<double>(rng.between(-most, most))};
}

Knapsack random_sack(Rng& rng, std::size_t sites, std::size_t most_options, std::int64_t most) {
  Knapsack sack;
  for (std::size_t site = 0; site < sites; ++site) {
    std::vector<Weighed>& options = sack.sites.emplace_back();
    for (std::size_t count = 1 + rng.below(most_options); options.size() < count;) {
      options.push_back(drawn(rng, most));
    }
  }
  return sack;
}

// Links each site but the first to one before it, or to none.
void link(Rng& rng, Knapsack& sack, bool is_chain, double share) {
  for (std::size_t site = 1; site < sack.sites.size(); ++site) {
    if (!is_chain && rng.chance(0.3)) continue;
    const std::size_t other = is_chain ? site - 1 : rng.below(site);
    SiteLink added{site, other, {}};
    if (rng.chance(0.5)) std::swap(added.first, added.second);
    for (std::size_t a = 0; a < sack.sites[added.first].size(); ++a) {
      for (std::size_t b = 0; b < sack.sites[added.second].size(); ++b) {
        if (!rng.chance(share)) continue;
        added.pairs.push_back({static_cast<std::int32_t>(a), static_cast<std::int32_t>(b),
                               drawn(rng, 30), rng.chance(0.7)});
      }
    }
    sack.links.push_back(std::move(added));
  }
}

void expect_exact(const Knapsack& sack, const std::string& what) {
  const std::vector<Weighed> expected = tried_front(sack);
  const std::vector<Chosen> found = front_of(sack);
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].sum, expected[i]) << what;
    const auto sum = sum_of(sack, found[i].choice);
    ASSERT_TRUE(sum.has_value()) << what << ": a pair that is not allowed";
    EXPECT_EQ(*sum, found[i].sum) << what;
  }
}

TEST(Knapsack, FindsTheWholeFrontOfSmallProblems) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed);
    Knapsack sack = random_sack(rng, 1 + rng.below(5), 6, 20);
    if (rng.chance(0.5)) sack.least_gain = static_cast<double>(rng.between(-20, 20));
    expect_exact(sack, "seed " + std::to_string(seed));
  }
}

TEST(Knapsack, FindsTheWholeFrontWhereNeighboursAreLinked) {
  std::size_t without = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Rng rng(seed);
    Knapsack sack = random_sack(rng, 2 + rng.below(4), 5, 20);
    link(rng, sack, seed % 2 == 0, rng.uniform(0.1, 1));
    if (rng.chance(0.3)) sack.least_gain = static_cast<double>(rng.between(-20, 40));
    expect_exact(sack, "seed " + std::to_string(seed));
    without += tried_front(sack).empty() ? 1u : 0u;
  }
  EXPECT_GT(without, 3u) << "some problems allow nothing";
  EXPECT_LT(without, 200u);
}

TEST(Knapsack, KeepsItsBoundWhereItRounds) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Rng rng(seed);
    Knapsack sack = random_sack(rng, 5, 8, 1000);
    if (seed % 2 == 1) link(rng, sack, true, 0.3);
    const std::vector<Weighed> expected = tried_front(sack);
    if (expected.empty()) continue;
    sack.buckets = 16;
    const std::vector<Chosen> found = front_of(sack);
    ASSERT_FALSE(found.empty());
    double range = 0;
    for (const auto& options : sack.sites) {
      const auto [low, high] =
          std::minmax_element(options.begin(), options.end(),
                              [](const auto& a, const auto& b) { return a.gain < b.gain; });
      range += high->gain - low->gain;
    }
    for (const SiteLink& each : sack.links) range += each.pairs.empty() ? 0 : 60;
    const double loss = static_cast<double>(2 * sack.sites.size()) * range / 16;
    for (const Weighed& point : expected) {
      EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                              [&](const Chosen& one) {
                                return one.sum.cost <= point.cost &&
                                       one.sum.gain >= point.gain - loss;
                              }))
          << "seed " << seed;
    }
    // The ends are exact: without links nothing is cheaper, and nothing gains more.
    if (!sack.links.empty()) continue;
    EXPECT_EQ(found.front().sum.cost, expected.front().cost);
    EXPECT_EQ(found.back().sum.gain, expected.back().gain);
  }
}

TEST(Knapsack, IsNearlyExactOnManySites) {
  // With one cost and one gain that fall together, the front of the sums is known at its ends, and
  // between them it follows the hull of the sites' fronts.
  Rng rng(5);
  Knapsack sack;
  for (int site = 0; site < 36; ++site) {
    auto& options = sack.sites.emplace_back();
    for (int i = 0; i < 200; ++i) {
      const double cost = rng.uniform(0.1, 1);
      options.push_back({cost, -1 / cost + rng.uniform(-0.2, 0)});
    }
  }
  const std::vector<Chosen> coarse = front_of(sack);
  sack.buckets = 16 * sack.buckets;
  const std::vector<Chosen> fine = front_of(sack);
  ASSERT_GT(coarse.size(), 1000u);
  const double range = fine.back().sum.gain - fine.front().sum.gain;
  for (const Chosen& point : fine) {
    EXPECT_TRUE(std::any_of(coarse.begin(), coarse.end(), [&](const Chosen& one) {
      return one.sum.cost <= point.sum.cost && one.sum.gain >= point.sum.gain - 1e-3 * range;
    }));
  }
}

TEST(Knapsack, ComesToTheSameChoicesInEveryRun) {
  const auto choices = [] {
    Rng rng(3);
    Knapsack sack = random_sack(rng, 12, 30, 1'000'000);
    link(rng, sack, true, 0.1);
    std::vector<std::vector<std::int32_t>> all;
    for (const Chosen& one : front_of(sack)) all.push_back(one.choice);
    return all;
  };
  const auto first = choices();
  EXPECT_GT(first.size(), 20u);
  EXPECT_EQ(choices(), first);
}

TEST(Knapsack, GivesNothingWhereNothingIsAllowed) {
  EXPECT_TRUE(front_of({}).empty());
  Knapsack sack;
  sack.sites = {{{1, 1}}, {}};
  EXPECT_TRUE(front_of(sack).empty()) << "a site without options";
  sack.sites = {{{1, 1}}, {{1, 1}}};
  EXPECT_EQ(front_of(sack).size(), 1u);
  sack.least_gain = 3;
  EXPECT_TRUE(front_of(sack).empty()) << "too little gain";
  sack.least_gain = 0;
  sack.links = {{0, 1, {{0, 0, {}, false}}}};
  EXPECT_TRUE(front_of(sack).empty()) << "the only pair is not allowed";
}

TEST(KnapsackDeathTest, StopsWhereLinksCloseARing) {
  Knapsack sack;
  sack.sites = {{{1, 1}}, {{1, 1}}, {{1, 1}}};
  sack.links = {{0, 1, {}}, {1, 2, {}}, {2, 0, {}}};
  EXPECT_DEATH(front_of(sack), "forest");
}

}  // namespace
}  // namespace cambium::search

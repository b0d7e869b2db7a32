// Option tables: what they predict where costs add up and where they do not, and which front they
// give.
#include "search/option_tables.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "base/random.h"

namespace cambium::search {
namespace {

constexpr double kAnyGain = -std::numeric_limits<double>::infinity();

OptionTables::Pair pair_of(std::int32_t first, std::int32_t second) {
  return {first, second};
}

// Two sites with two options each, whole numbers.
OptionTables two_sites() {
  OptionTables tables({2, 2}, {{0, 1}});
  tables.set(0, 0, {-4, -2});
  tables.set(0, 1, {-6, -5});
  tables.set(1, 0, {-8, 3});
  tables.set(1, 1, {-3, 5});
  return tables;
}

TEST(OptionTables, AddUpOptionsAndWhatLinkedOnesAdd) {
  OptionTables tables = two_sites();
  EXPECT_EQ(tables.sum_of({-1, -1}), (Weighed{0, 0}));
  EXPECT_EQ(tables.sum_of({0, 0}), (Weighed{-12, 1}));
  tables.set_pair(0, pair_of(0, 0), {-7, 4});
  EXPECT_EQ(tables.sum_of({0, 0}), (Weighed{-7, 4})) << "as the two were measured";
  EXPECT_EQ(tables.sum_of({0, 1}), (Weighed{-7, 3})) << "others add up";
  EXPECT_EQ(tables.predicted({0, 0}), tables.sum_of({0, 0})) << "nothing was corrected";
}

// Half of the columns of the second site are gone already: its options save half as much.
TEST(OptionTables, EstimatePairsOfALinkedOptionByTheOthersOfIt) {
  OptionTables tables = two_sites();
  tables.mark_linked(0, 0);
  EXPECT_TRUE(tables.is_linked(0, 0));
  EXPECT_FALSE(tables.is_linked(0, 1));
  EXPECT_EQ(tables.sum_of({0, 1}), (Weighed{-7, 3})) << "nothing is known yet";
  tables.set_pair(0, pair_of(0, 0), {-8, 1});
  EXPECT_EQ(tables.sum_of({0, 0}), (Weighed{-8, 1})) << "as the two were measured";
  EXPECT_EQ(tables.sum_of({0, 1}), (Weighed{-4 - 1.5, 3})) << "the gains add up";
  EXPECT_EQ(tables.sum_of({1, 1}), (Weighed{-9, 0})) << "the other one is not linked";
  for (const Chosen& one : tables.front(kAnyGain)) {
    EXPECT_EQ(one.sum, tables.sum_of(one.choice));
  }
  EXPECT_EQ(tables.front(kAnyGain).front().choice, (Choice{1, 0}));
  EXPECT_EQ(tables.front(0).front().choice, (Choice{1, 1})) << "-9 beats -8";
  // No more than all that an option saves is saved already.
  OptionTables greedy = two_sites();
  greedy.mark_linked(0, 0);
  greedy.set_pair(0, pair_of(0, 0), {100, 1});
  EXPECT_EQ(greedy.sum_of({0, 1}).cost, -4);
}

TEST(OptionTables, GiveTheFrontOfWhatIsKnownAndAllowed) {
  OptionTables tables = two_sites();
  const auto cheapest = [&](double least) { return tables.front(least).front(); };
  EXPECT_EQ(cheapest(kAnyGain).choice, (Choice{1, 0}));
  EXPECT_EQ(cheapest(0).choice, (Choice{0, 0}));
  EXPECT_EQ(cheapest(0).sum, (Weighed{-12, 1}));
  tables.forbid(0, pair_of(0, 0));
  EXPECT_EQ(tables.is_allowed(0, pair_of(0, 0)), false);
  EXPECT_EQ(tables.is_allowed(0, pair_of(1, 0)), std::nullopt);
  EXPECT_EQ(cheapest(0).choice, (Choice{1, 1})) << "-9 and 0 beat -8 and 3";
  tables.drop(0, 1);
  EXPECT_EQ(cheapest(0).choice, (Choice{-1, 0}));
  tables.drop(1, 0);
  tables.drop(1, 1);
  tables.drop(0, 0);
  ASSERT_EQ(tables.front(0).size(), 1u) << "the original";
  EXPECT_EQ(tables.front(0)[0].choice, (Choice{-1, -1}));
}

struct PlantedTables {
  std::vector<std::vector<Weighed>> options;
  double shift = 0;       // of every composition
  double each_after = 0;  // that every further changed site costs

  Weighed of(const Choice& choice) const {
    Weighed sum;
    double count = 0;
    for (std::size_t site = 0; site < choice.size(); ++site) {
      if (choice[site] < 0) continue;
      const Weighed& own = options[site][static_cast<std::size_t>(choice[site])];
      sum.cost += own.cost;
      sum.gain += own.gain;
      count += 1;
    }
    if (count > 1) sum.gain -= shift + (count - 1) * each_after;
    return sum;
  }
};

PlantedTables planted(Rng& rng, std::size_t sites, std::size_t count) {
  PlantedTables all;
  for (std::size_t site = 0; site < sites; ++site) {
    auto& own = all.options.emplace_back();
    while (own.size() < count) own.push_back({-rng.uniform(), rng.uniform(-0.5, 0.5)});
  }
  return all;
}

OptionTables tables_of(const PlantedTables& all) {
  std::vector<std::size_t> counts;
  for (const auto& options : all.options) counts.push_back(options.size());
  OptionTables tables(counts, {});
  for (std::size_t site = 0; site < all.options.size(); ++site) {
    for (std::size_t i = 0; i < all.options[site].size(); ++i) {
      tables.set(site, static_cast<std::int32_t>(i), all.options[site][i]);
    }
  }
  return tables;
}

Choice random_choice(Rng& rng, const PlantedTables& all) {
  Choice choice;
  for (const auto& options : all.options) {
    choice.push_back(static_cast<std::int32_t>(rng.below(options.size() + 1)) - 1);
  }
  return choice;
}

MeasuredChoice measured(const PlantedTables& all, Choice choice) {
  const Weighed sums = all.of(choice);
  return {std::move(choice), sums.cost, sums.gain};
}

// The mean error of what is predicted near `around`.
double error_of(const OptionTables& tables, const PlantedTables& all, const Choice& around,
                Rng rng) {
  double sum = 0;
  for (int i = 0; i < 200; ++i) {
    Choice choice = around;
    for (int change = 0; change < 2; ++change) {
      const std::size_t site = rng.below(choice.size());
      choice[site] = static_cast<std::int32_t>(rng.below(all.options[site].size()));
    }
    sum += std::abs(tables.predicted(choice).gain - all.of(choice).gain) / 200;
  }
  return sum;
}

TEST(OptionTables, NeedNoCorrectionWhereAllAddsUp) {
  Rng rng(1);
  const PlantedTables all = planted(rng, 8, 6);
  OptionTables tables = tables_of(all);
  std::vector<MeasuredChoice> seen;
  for (int i = 0; i < 40; ++i) seen.push_back(measured(all, random_choice(rng, all)));
  tables.correct(seen, seen[0].choice);
  EXPECT_LT(error_of(tables, all, seen[0].choice, rng), 1e-9);
}

TEST(OptionTables, LearnFromCompositionsWhatTheTablesPromisedTooMuch) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Rng rng(seed);
    PlantedTables all = planted(rng, 10, 8);
    all.shift = 0.4;
    all.each_after = 0.1;
    OptionTables tables = tables_of(all);
    std::vector<MeasuredChoice> seen;
    for (int i = 0; i < 60; ++i) seen.push_back(measured(all, random_choice(rng, all)));
    const double before = error_of(tables, all, seen[0].choice, rng);
    tables.correct(seen, seen[0].choice);
    const double after = error_of(tables, all, seen[0].choice, rng);
    EXPECT_LT(after, 0.2 * before) << "seed " << seed;
    // What was measured at the center is known well.
    EXPECT_NEAR(tables.predicted(seen[0].choice).gain, *seen[0].gain, 0.1 * before);
    tables.correct({}, seen[0].choice);
    EXPECT_EQ(error_of(tables, all, seen[0].choice, rng), before) << "corrections are replaced";
  }
}

TEST(OptionTables, TakeCompositionsOfWhichOneValueIsKnown) {
  OptionTables tables = two_sites();
  const std::vector<MeasuredChoice> seen = {{{0, 0}, -10, {}}, {{1, 1}, {}, {}}};
  tables.correct(seen, {0, 0});
  EXPECT_NEAR(tables.predicted({0, 0}).cost, -10, 0.1);
  EXPECT_EQ(tables.predicted({0, 0}).gain, 1);
}

TEST(OptionTables, GiveAFrontOfCorrectedSums) {
  Rng rng(3);
  PlantedTables all = planted(rng, 6, 5);
  all.shift = 0.3;
  OptionTables tables = tables_of(all);
  std::vector<MeasuredChoice> seen;
  for (int i = 0; i < 20; ++i) seen.push_back(measured(all, random_choice(rng, all)));
  tables.correct(seen, seen[0].choice);
  const auto front = tables.front(0);
  ASSERT_FALSE(front.empty());
  for (const Chosen& one : front) {
    EXPECT_NEAR(one.sum.cost, tables.predicted(one.choice).cost, 1e-9);
    EXPECT_NEAR(one.sum.gain, tables.predicted(one.choice).gain, 1e-9);
    EXPECT_GE(one.sum.gain, -1e-9);
  }
}

TEST(OptionTables, LeaveOutLinksThatCloseARing) {
  const std::vector<LinkedSites> chain = {{0, 1}, {1, 2}};
  EXPECT_EQ(forest_of(chain, 3), chain);
  EXPECT_EQ(forest_of({{0, 1}, {1, 2}, {2, 0}}, 3), chain);
  EXPECT_EQ(forest_of({{0, 1}, {1, 0}}, 2), (std::vector<LinkedSites>{{0, 1}}));
  EXPECT_EQ(forest_of({{1, 1}}, 2), std::vector<LinkedSites>{});
}

}  // namespace
}  // namespace cambium::search

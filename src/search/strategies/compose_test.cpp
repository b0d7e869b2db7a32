// The strategy `compose` with planted values of options, which add up or do not: it finds the best
// composition with few measurements.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/settings.h"
#include "model/cost.h"
#include "model/fingerprint.h"
#include "search/strategy.h"
#include "search/testing/planted.h"
#include "spaces/testing/toy_net.h"
#include "spaces/testing/toy_sites.h"

namespace cambium::search {
namespace {

using spaces::testing::ToySites;

using Options = std::vector<std::int32_t>;

// What candidates cost and gain: each option its own, and what planted interactions add.
struct Planted {
  ToySites& space;
  std::vector<std::vector<std::pair<double, double>>> own;
  double more_cost = 0, less_gain = 0;  // for every changed site beside the first
  double neighbours = 0;                // gain lost for two changed sites side by side
  double chance = 0;  // of gain that two options side by side add or lose, each pair its own

  Planted(ToySites& sites, std::uint64_t seed) : space(sites) {
    Rng rng(seed);
    for (std::size_t site = 0; site < space.site_count(); ++site) {
      auto& here = own.emplace_back();
      for (std::size_t i = 0; i < space.options_at(site).size(); ++i) {
        const double saved = rng.uniform();
        here.emplace_back(-saved, 0.4 - saved * rng.uniform(0.2, 1.2));
      }
    }
  }

  Options options_of(const spaces::Candidate& candidate) const {
    Options all(space.site_count(), -1);
    for (const spaces::Edit& edit : candidate.edits) {
      for (std::size_t site = 0; site < all.size(); ++site) {
        const auto& options = space.options_at(site);
        for (std::size_t i = 0; i < options.size(); ++i) {
          if (options[i].edits[0] == edit) all[site] = static_cast<std::int32_t>(i);
        }
      }
    }
    return all;
  }

  std::pair<double, double> of(const Options& choice) const {
    double cost = 0, gain = 0, changed = 0;
    for (std::size_t site = 0; site < choice.size(); ++site) {
      if (choice[site] < 0) continue;
      const auto& [saved, gained] = own[site][static_cast<std::size_t>(choice[site])];
      cost += saved;
      gain += gained;
      changed += 1;
      if (site == 0 || choice[site - 1] < 0) continue;
      gain -= neighbours;
      Rng rng = Rng(site).split(static_cast<std::uint64_t>(choice[site]));
      gain += chance * rng.split(static_cast<std::uint64_t>(choice[site - 1])).uniform(-1, 1);
    }
    const double after_first = std::max(0.0, changed - 1);
    return {cost + more_cost * after_first, gain - less_gain * after_first};
  }

  // The cheapest of all that gain enough.
  double best() const {
    double best = std::numeric_limits<double>::infinity();
    Options choice(space.site_count(), -1);
    for (;;) {
      const auto [cost, gain] = of(choice);
      if (gain >= 0 && space.composed(choice).ok()) best = std::min(best, cost);
      std::size_t site = 0;
      while (site < choice.size() &&
             ++choice[site] == static_cast<std::int32_t>(own[site].size())) {
        choice[site++] = -1;
      }
      if (site == choice.size()) return best;
    }
  }
};

constexpr double kCost = 100;  // of the original

Values planted_values(double cost, std::optional<double> gain) {
  Values values = {{"kernel_sum", {kCost + kCost * cost / 100, 0, 1, false}}};
  if (gain) values["fisher_change"] = {*gain, 0, 1, false};
  return values;
}

struct Searched {
  model::Model net;
  ToySites space;
  Planted planted;
  std::set<Options> refused;  // by an evaluator, before they are measured
  bool has_gain = true;
  testing::Trace trace;
  std::vector<Outcome> outcomes;
  std::vector<Options> tried;
  std::vector<std::vector<std::string>> probed;
  std::vector<std::string> remarks;

  explicit Searched(std::uint64_t seed, int blocks = 4,
                    spaces::testing::ToySitesOptions options = {})
      : net(spaces::testing::toy_net(blocks)), space(blocks, options), planted(space, seed) {}

  void run(std::int64_t tickets, SettingList settings = {}) {
    StrategyOptions options{"compose",
                            1,
                            4,
                            {},
                            std::move(settings),
                            planted_values(0, has_gain ? std::optional(0.0) : std::nullopt)};
    const auto strategy = make_strategy(options, model::structure_of(net), {&space}).value();
    testing::SmallDriver driver(
        *strategy,
        [&](const Proposal& proposal) {
          const Options choice = planted.options_of(proposal.candidate);
          tried.push_back(choice);
          probed.push_back(proposal.probed);
          Outcome outcome;
          outcome.is_refused = refused.count(choice) > 0;
          if (outcome.is_refused) return outcome;
          const auto [cost, gain] = planted.of(choice);
          outcome.values = planted_values(cost, has_gain ? std::optional(gain) : std::nullopt);
          outcome.reward = 1 - cost;
          return outcome;
        },
        4);
    driver.run(tickets);
    trace = driver.trace();
    outcomes = driver.outcomes();
    remarks = strategy->remarks();
  }

  // Whether a remark says so.
  bool says(const std::string& words) const {
    return std::any_of(remarks.begin(), remarks.end(), [&](const std::string& remark) {
      return remark.find(words) != std::string::npos;
    });
  }
  // Pairs that were proposed for their values.
  std::size_t pairs() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < tried.size(); ++i) {
      const auto changed = static_cast<std::int64_t>(tried[i].size()) -
                           std::count(tried[i].begin(), tried[i].end(), -1);
      count += changed == 2 && !probed[i].empty() ? 1u : 0u;
    }
    return count;
  }

  double best() const {
    double best = 0;
    for (const Options& choice : tried) {
      if (refused.count(choice) > 0) continue;
      const auto [cost, gain] = planted.of(choice);
      if (gain >= 0) best = std::min(best, cost);
    }
    return best;
  }
};

// Only widths: nothing is linked.
const spaces::testing::ToySitesOptions kUnlinked = {{1, 2, 3, 4, 5, 6, 7}, {}};

TEST(Compose, FindsTheBestOfWhatAddsUpAtTheFirstComposition) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Searched run(seed, 4, kUnlinked);
    run.run(28 + 1);
    ASSERT_EQ(run.tried.size(), 29u);
    for (std::size_t i = 0; i < 28; ++i) {
      EXPECT_EQ(run.probed[i], (std::vector<std::string>{"kernel_sum", "fisher_change"}));
    }
    EXPECT_TRUE(run.probed[28].empty()) << "a composition is no probe";
    EXPECT_NEAR(run.best(), run.planted.best(), 1e-9) << "seed " << seed;
    EXPECT_NEAR(run.planted.of(run.tried[28]).first, run.planted.best(), 1e-9);
  }
}

TEST(Compose, CorrectsTablesThatPromiseTooMuch) {
  double first = 0, last = 0, possible = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const bool goes_on : {false, true}) {
      Searched run(seed, 5, kUnlinked);
      run.planted.less_gain = 0.15;
      run.planted.neighbours = 0.05;
      run.planted.more_cost = 0.05;
      run.run(35 + (goes_on ? 60 : 10), {{"front", "10"}});
      (goes_on ? last : first) += run.best() / 10;
      if (goes_on) possible += run.planted.best() / 10;
    }
  }
  EXPECT_LT(last, first - 0.03) << "later rounds know more";
  EXPECT_LT(last, 0.97 * possible) << "costs are negative: within 3 % of the best of 32,768";
}

TEST(Compose, ProbesLinkedPairsBeforeItComposesThem) {
  Searched run(3);
  // 7 options at three sites, 4 at the last; 3 of the 7 are linked to the next site.
  run.run(200, {{"front", "10"}});
  std::size_t alone = 0, pairs = 0;
  for (std::size_t i = 0; i < run.tried.size(); ++i) {
    const auto changed = static_cast<std::int64_t>(run.tried[i].size()) -
                         std::count(run.tried[i].begin(), run.tried[i].end(), -1);
    if (run.probed[i].empty()) {
      EXPECT_GT(changed, 1);
      continue;
    }
    (changed == 1 ? alone : pairs) += 1;
    if (changed == 1) continue;
    const auto cut = std::find_if(run.tried[i].begin(), run.tried[i].end(),
                                  [](std::int32_t option) { return option >= 0; });
    EXPECT_GE(*cut, 4) << "the first of the two is linked";
    EXPECT_GE(*(cut + 1), 0) << "the second is its neighbour";
  }
  EXPECT_EQ(alone, 25u);
  // Cuts to 2, 4 and 6 allow 1, 3 and 4 of the widths behind them, and cuts to anything less.
  EXPECT_GT(pairs, 20u);
}

// Linked pairs may be too many to measure, and look better than they are until they are measured.
TEST(Compose, ProposesCompositionsThoughItDoesNotKnowAllPairs) {
  Searched run(3);
  run.run(100, {{"front", "5"}, {"pairs", "10"}});
  const auto is_pair = [&](std::size_t i) {
    return std::count(run.tried[i].begin(), run.tried[i].end(), -1) == 2 && !run.probed[i].empty();
  };
  std::size_t in_a_row = 0, whole = 0, i = 25;
  for (; is_pair(i); ++i) ++in_a_row;
  EXPECT_LE(in_a_row, 9u + 5u) << "one for each of nine linked options, and those of a round";
  for (in_a_row = 0; i < run.tried.size(); ++i) {
    in_a_row = is_pair(i) ? in_a_row + 1 : 0;
    EXPECT_LE(in_a_row, 5u) << i;
    whole += run.probed[i].empty() ? 1u : 0u;
  }
  EXPECT_GT(whole, 30u);
}

// MACs of real candidates: what a cut saves at the next site depends on the option there.
TEST(Compose, KnowsWhatLinkedOptionsCostTogether) {
  for (const char* pairs : {"500", "0"}) {
    const model::Model net = spaces::testing::toy_net(4);
    ToySites space(4);
    const auto judge = testing::judge_sites(net, {&space});
    StrategyOptions options{"compose", 1, 4, {}, {}, testing::planted_of_sites(net)};
    options.settings = {
        {"cost", "macs"}, {"gain", "quality"}, {"pairs", pairs}, {"least-gain", "-0.2"}};
    const auto strategy = make_strategy(options, model::structure_of(net), {&space}).value();
    double best = std::numeric_limits<double>::infinity();
    std::int64_t tickets = 0;
    testing::SmallDriver driver(
        *strategy,
        [&](const Proposal& proposal) {
          Outcome outcome = judge(proposal);
          ++tickets;
          if (!outcome.is_refused && outcome.values.at("quality").value >= 0.8) {
            best = std::min(best, outcome.values.at("macs").value);
          }
          return outcome;
        },
        4);
    driver.run(130);
    // All that there is.
    double least = std::numeric_limits<double>::infinity();
    Options choice(4, -1);
    for (bool is_over = false; !is_over;) {
      const auto edits = space.composed(choice);
      if (edits.ok()) {
        const Outcome outcome = judge({{model::structure_of(net), *edits, {}}, "toy-sites", {}});
        if (!outcome.is_refused && outcome.values.at("quality").value >= 0.8) {
          least = std::min(least, outcome.values.at("macs").value);
        }
      }
      std::size_t site = 0;
      while (site < 4 &&
             ++choice[site] == static_cast<std::int32_t>(space.options_at(site).size())) {
        choice[site++] = -1;
      }
      is_over = site == 4;
    }
    EXPECT_EQ(best, least) << "pairs=" << pairs << " after " << tickets;
  }
}

TEST(Compose, LeavesOutOptionsThatAreRefused) {
  Searched run(5, 4, kUnlinked);
  for (std::int32_t option = 0; option < 6; ++option) run.refused.insert({-1, option, -1, -1});
  run.run(120);
  EXPECT_EQ(run.tried.size(), 120u);
  bool has_changed = false;
  for (std::size_t i = 28; i < run.tried.size(); ++i) {
    EXPECT_TRUE(run.tried[i][1] == -1 || run.tried[i][1] == 6) << i;
    has_changed |= run.tried[i][1] == 6;
  }
  EXPECT_TRUE(has_changed);
}

TEST(Compose, GoesByCostAloneWhereNoGainIsKnown) {
  Searched run(7, 4, kUnlinked);
  run.has_gain = false;
  run.run(28 + 3);
  EXPECT_EQ(run.probed[0], std::vector<std::string>{"kernel_sum"});
  // The cheapest of four, of three and of two changed sites.
  std::vector<double> most;
  for (const auto& options : run.planted.own) {
    double least = 0;
    for (const auto& each : options) least = std::min(least, each.first);
    most.push_back(least);
  }
  std::sort(most.begin(), most.end());
  double expected = 0;
  for (const double each : most) expected += each;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(run.planted.of(run.tried[28 + i]).first, expected, 1e-9) << i;
    expected -= most[3 - i];
  }
}

TEST(Compose, NeedsTheValueThatItMinimizes) {
  Searched run(1);
  const auto reason = [&](const Values& original, SettingList settings) {
    const auto made =
        make_strategy({"compose", 1, 4, {}, std::move(settings), original}, {}, {&run.space});
    return made.ok() ? std::string() : made.rejection().message();
  };
  const Values macs = {{"macs", {10, 0, 1, false}}};
  EXPECT_NE(reason(macs, {}).find("kernel_sum"), std::string::npos);
  EXPECT_EQ(reason(macs, {{"cost", "macs"}}), "") << "without a gain";
  EXPECT_EQ(reason({}, {}), "") << "the original is not judged yet";
  EXPECT_NE(reason(macs, {{"cost", "macs"}, {"gain", "accuracy"}}).find("accuracy"),
            std::string::npos);
}

// ---- how well the tables predict

TEST(Compose, SaysHowWellSumsPredict) {
  Searched run(3, 5, kUnlinked);
  run.run(20);
  EXPECT_TRUE(run.says("20 of 35 options were proposed")) << "no composition was";
  EXPECT_FALSE(run.says("rank correlation"));
  Searched almost(3, 5, kUnlinked);
  almost.run(35);
  EXPECT_TRUE(almost.says("needs more than 35 candidates"));
  Searched whole(3, 5, kUnlinked);
  whole.run(35 + 40 + 4, {{"front", "20"}});  // the last four are still running
  ASSERT_EQ(whole.remarks.size(), 2u);
  EXPECT_TRUE(
      whole.says("sums of options predicted kernel_sum of 40 compositions with a median error "
                 "of 0 and a rank correlation of 1.00"));
  EXPECT_TRUE(whole.says("predicted fisher_change of 40 compositions"));
  EXPECT_EQ(whole.pairs(), 0u);
}

TEST(Compose, SaysThatNothingGainsEnough) {
  Searched run(3, 5, kUnlinked);
  run.run(100, {{"least-gain", "5"}});
  EXPECT_EQ(run.tried.size(), 35u);
  EXPECT_TRUE(run.says("no composition is predicted to keep fisher_change at 5 or more"));
  EXPECT_EQ(run.remarks.size(), 1u);
}

// Options of neighbours help or hurt each other, each two in their own way: sums say little.
TEST(Compose, MeasuresPairsOfNeighboursWhereSumsPredictPoorly) {
  double by_sums = 0, by_pairs = 0, possible = 0;
  const auto searched = [](std::uint64_t seed, const char* neighbours) {
    Searched run(seed, 5, kUnlinked);
    run.planted.chance = 0.4;
    run.planted.neighbours = 0.2;
    run.run(35 + 200, {{"front", "20"}, {"neighbours", neighbours}});
    return run;
  };
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Searched sums = searched(seed, "no"), pairs = searched(seed, "auto");
    EXPECT_EQ(sums.pairs(), 0u);
    EXPECT_FALSE(sums.says("pairs"));
    EXPECT_TRUE(pairs.says("options do not add up")) << seed;
    EXPECT_TRUE(pairs.says("pairs of neighbours have been measured since then")) << seed;
    EXPECT_TRUE(pairs.says("sums with pairs of neighbours predicted fisher_change")) << seed;
    EXPECT_GT(pairs.pairs(), 10u);
    EXPECT_LT(pairs.pairs(), 110u) << "at most as many as compositions";
    by_sums += sums.best() / 20;
    by_pairs += pairs.best() / 20;
    possible += pairs.planted.best() / 20;
  }
  EXPECT_LT(by_pairs, by_sums) << "the same number of proposals finds more";
  EXPECT_LT(by_pairs, 0.99 * possible) << "costs are negative";
}

TEST(Compose, SaysThatOptionsDoNotAddUp) {
  Searched run(1, 5, kUnlinked);
  run.planted.chance = 0.8;
  run.run(35 + 20 + 4, {{"front", "20"}, {"neighbours", "no"}});
  EXPECT_TRUE(
      run.says("options do not add up: sums of options rank compositions poorly by fisher_change"));
  EXPECT_TRUE(run.says("try the setting neighbours=yes"));
  Searched other(1, 5, kUnlinked);
  other.planted.chance = 0.8;
  other.run(35 + 20 + 4, {{"front", "20"}});
  EXPECT_TRUE(other.says("pairs of neighbours have been measured since then"));
}

TEST(Compose, MeasuresPairsOfNeighboursAtOnceIfItIsTold) {
  Searched run(2, 5, kUnlinked);
  run.run(35 + 30, {{"front", "10"}, {"neighbours", "yes"}});
  EXPECT_EQ(run.pairs(), 20u);
  EXPECT_FALSE(run.probed[35].empty()) << "before the first composition";
  const auto refused =
      make_strategy({"compose", 1, 4, {}, {{"neighbours", "perhaps"}}, {}}, {}, {&run.space});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.rejection().message().find("auto, yes or no"), std::string::npos);
}

// The legality of the original may become known between two runs.
TEST(Compose, GoesOnWithoutAGainIfItBeganWithoutOne) {
  Searched run(7, 4, kUnlinked);
  const auto made = [&](const Values& original) {
    return make_strategy({"compose", 1, 4, {}, {}, original}, {}, {&run.space}).value();
  };
  const auto first = made(planted_values(0, {}));
  EXPECT_EQ(first->propose(0)->probed, std::vector<std::string>{"kernel_sum"});
  const auto later = made(planted_values(0, 0.0));
  ASSERT_TRUE(later->restore(first->state()).ok());
  EXPECT_EQ(later->propose(1)->probed, std::vector<std::string>{"kernel_sum"});
  EXPECT_EQ(made(planted_values(0, 0.0))->propose(0)->probed.size(), 2u);
}

TEST(Compose, TakesNoValueThatIsNotFinite) {
  Searched run(1, 4, kUnlinked);
  const Values original = {{"kernel_sum", {100, 0, 1, false}},
                           {"fisher_change", {std::nan(""), 0, 1, false}}};
  const auto strategy =
      make_strategy({"compose", 1, 4, {}, {}, original}, {}, {&run.space}).value();
  const auto proposal = strategy->propose(0);
  EXPECT_EQ(proposal->probed, std::vector<std::string>{"kernel_sum"}) << "there is no gain";
  Outcome outcome;
  outcome.values["kernel_sum"] = {std::numeric_limits<double>::infinity(), 0, 1, false};
  strategy->fold(0, outcome);
  const auto again = make_strategy({"compose", 1, 4, {}, {}, original}, {}, {&run.space}).value();
  EXPECT_TRUE(again->restore(strategy->state()).ok());
}

TEST(Compose, EndsWhereNothingIsLeft) {
  Searched run(1, 2, {{1, 2}, {}});
  run.run(100);
  EXPECT_EQ(run.tried.size(), 4u + 4u) << "four options alone, and every pair of them";
}

}  // namespace
}  // namespace cambium::search

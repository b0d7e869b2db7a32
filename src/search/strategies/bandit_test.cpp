#include <gtest/gtest.h>

#include "search/strategy.h"
#include "search/testing/planted.h"
#include "spaces/testing/toy_tree.h"

namespace cambium::search {
namespace {

using spaces::testing::ToyTree;

// Two spaces of words; those of one are worth `factor` times as much.
double share_of_better(double factor, std::uint64_t seed, int in_flight = 4) {
  const std::vector<int> lengths = {2, 3, 4, 5, 6, 7, 8, 9, 11, 13};
  ToyTree worse({.lengths = lengths, .total = 40, .name = "worse"});
  ToyTree better({.lengths = lengths, .total = 40, .name = "better"});
  const auto strategy =
      make_strategy({"random", seed, in_flight, {}, {}}, {}, {&worse, &better}).value();
  const auto judge = testing::judge_words(lengths, "cgi");
  double count = 0;
  testing::SmallDriver driver(
      *strategy,
      [&](const Proposal& proposal) {
        Outcome outcome = judge(proposal);
        if (proposal.space == "better") {
          count += 1;
          outcome.reward *= factor;
        }
        return outcome;
      },
      in_flight);
  driver.run(300);
  return count / 300;
}

TEST(Bandit, GivesTheBetterSpaceMore) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    EXPECT_GT(share_of_better(4, seed), 0.6) << seed;
    EXPECT_LT(share_of_better(0.25, seed), 0.4) << seed;
  }
}

TEST(Bandit, SharesEquallyAmongEqualsAndForgetsNobody) {
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) sum += share_of_better(1, seed) / 10;
  EXPECT_NEAR(sum, 0.5, 0.1);
  EXPECT_LT(share_of_better(100, 1), 0.99);
}

TEST(Bandit, DoesNotGiveAWholeWindowToOneArm) {
  EXPECT_LT(share_of_better(4, 1, 64), 0.95);
}

TEST(Bandit, GoesOnWithTheOthersWhenOneIsUsedUp) {
  ToyTree small({.lengths = {2, 3, 4, 5, 7}, .total = 12, .name = "small"});
  ToyTree smaller({.lengths = {2, 3, 4, 5, 7}, .total = 7, .name = "smaller"});
  const auto strategy = make_strategy({.name = "tree"}, {}, {&small, &smaller}).value();
  testing::SmallDriver driver(*strategy, testing::judge_words({2, 3, 4, 5, 7}, "bd"), 4);
  driver.run(100);
  EXPECT_EQ(driver.trace().candidates.size(), 12u + 4u);
}

TEST(Bandit, RefusesTheStateOfOtherSpaces) {
  ToyTree a({.name = "a"}), b({.name = "b"}), c({.name = "c"});
  const auto one = make_strategy({}, {}, {&a, &b}).value();
  const auto other = make_strategy({}, {}, {&a, &c}).value();
  EXPECT_EQ(other->restore(one->state()).rejection().reason(), Reason::BadSyntax);
}

}  // namespace
}  // namespace cambium::search

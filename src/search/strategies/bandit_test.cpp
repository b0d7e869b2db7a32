#include <deque>

#include <gtest/gtest.h>

#include "search/snapshot.h"
#include "search/strategies/all.h"
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

// Proposes `burst` candidates, then waits until all of them are folded.
class Waiting final : public Strategy {
 public:
  Waiting(std::string space, int burst, bool probes)
      : space_(std::move(space)), burst_(burst), probes_(probes) {}

  std::optional<Proposal> propose(Ticket) override {
    if (burst_ > 0 && asked_ - folded_ >= burst_) return std::nullopt;
    const std::string document = std::to_string(asked_++);
    Proposal proposal{{{}, {{space_, {"x"}, document}}, {}}, space_, {}};
    if (probes_) proposal.probed = {"macs"};
    return proposal;
  }
  void fold(Ticket, const Outcome&) override { ++folded_; }
  std::string state() const override {
    SnapshotWriter out;
    out.number(asked_).number(folded_);
    return std::move(out).done();
  }
  Status restore(std::string_view state) override {
    SnapshotReader in(state);
    asked_ = in.number(0, 1000);
    folded_ = in.number(0, 1000);
    return in.finish();
  }
  std::vector<std::string> remarks() const override {
    if (folded_ == 0) return {};
    return {"it has learned " + std::to_string(folded_) + " outcomes"};
  }

 private:
  std::string space_;
  std::int64_t burst_, asked_ = 0, folded_ = 0;
  bool probes_;
};

// The first waits after each burst, the second never.
std::unique_ptr<Strategy> waiting_bandit(int burst, bool probes) {
  std::vector<Arm> arms;
  arms.push_back({"a", std::make_unique<Waiting>("a", burst, probes)});
  arms.push_back({"b", std::make_unique<Waiting>("b", 0, false)});
  return make_bandit({}, std::move(arms)).value();
}

TEST(Bandit, GivesTicketsToTheOthersWhileOneWaits) {
  const auto bandit = waiting_bandit(1, false);
  Outcome good;
  good.reward = 1;
  std::deque<std::string> order;
  for (Ticket ticket = 0; ticket < 4; ++ticket) order.push_back(bandit->propose(ticket)->space);
  EXPECT_EQ(order, (std::deque<std::string>{"a", "b", "b", "b"})) << "`a` waits";
  // Another one, restored from its state, waits as well.
  const auto other = waiting_bandit(1, false);
  ASSERT_TRUE(other->restore(bandit->state()).ok());
  EXPECT_EQ(other->state(), bandit->state());
  EXPECT_EQ(other->propose(4)->space, "b");
  other->fold(0, good);
  EXPECT_EQ(other->propose(5)->space, "a") << "it has what it waited for";
}

TEST(Bandit, EndsOnlyWhenNobodyWaits) {
  std::vector<Arm> arms;
  arms.push_back({"a", std::make_unique<Waiting>("a", 1, false)});
  const auto bandit = make_bandit({}, std::move(arms)).value();
  EXPECT_TRUE(bandit->propose(0).has_value());
  EXPECT_FALSE(bandit->propose(1).has_value());
  bandit->fold(0, {});
  EXPECT_TRUE(bandit->propose(1).has_value());
}

TEST(Bandit, HoldsProbesAgainstNobody) {
  for (const bool probes : {true, false}) {
    const auto bandit = waiting_bandit(4, probes);
    int count = 0;
    testing::SmallDriver driver(
        *bandit,
        [&](const Proposal& proposal) {
          Outcome outcome;
          // A probe earns nothing, as it has not passed all stages.
          outcome.reward = proposal.space == "a" ? 0 : 0.5;
          count += proposal.space == "a" ? 1 : 0;
          return outcome;
        },
        8);
    driver.run(200);
    EXPECT_EQ(count > 60, probes) << count;
  }
}

TEST(Bandit, TellsTheRemarksOfEachSpace) {
  const auto bandit = waiting_bandit(1, false);
  EXPECT_TRUE(bandit->remarks().empty());
  for (Ticket ticket = 0; ticket < 4; ++ticket) (void)bandit->propose(ticket);
  for (Ticket ticket = 0; ticket < 4; ++ticket) bandit->fold(ticket, {});
  EXPECT_EQ(bandit->remarks(), (std::vector<std::string>{"space 'a': it has learned 1 outcomes",
                                                         "space 'b': it has learned 3 outcomes"}));
}

TEST(Bandit, RefusesTheStateOfOtherSpaces) {
  ToyTree a({.name = "a"}), b({.name = "b"}), c({.name = "c"});
  const auto one = make_strategy({}, {}, {&a, &b}).value();
  const auto other = make_strategy({}, {}, {&a, &c}).value();
  EXPECT_EQ(other->restore(one->state()).rejection().reason(), Reason::BadSyntax);
}

}  // namespace
}  // namespace cambium::search

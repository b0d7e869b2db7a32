#include <algorithm>

#include <gtest/gtest.h>

#include "model/fingerprint.h"
#include "search/strategy.h"
#include "search/testing/planted.h"
#include "spaces/testing/toy_blocks.h"
#include "spaces/testing/toy_net.h"

namespace cambium::search {
namespace {

using spaces::testing::ToyBlocks;
using SettingPairs = std::vector<std::pair<std::string, std::string>>;

constexpr study::Metric kObjectives[] = {study::Metric::Accuracy, study::Metric::Macs};

// The space that the front encloses, up to the worst corner: accuracy 0, the MACs of 8 blocks.
double volume_of(const std::vector<study::Scores>& scores) {
  constexpr double kMost = 8 * 64 + 32 + 1;
  double volume = 0, reached = 0;
  const auto front = study::pareto_front(scores, kObjectives);  // accuracy falling, MACs falling
  for (auto i = front.rbegin(); i != front.rend(); ++i) {
    const double accuracy = scores[*i].at(study::Metric::Accuracy)->value;
    volume += (accuracy - reached) * (kMost - scores[*i].at(study::Metric::Macs)->value);
    reached = accuracy;
  }
  return volume;
}

// With every block of every count right: what nothing beats.
double best_volume() {
  std::vector<study::Scores> scores;
  for (int blocks = 1; blocks <= 8; ++blocks) {
    study::Scores each;
    each.set(study::Metric::Accuracy, {0.9 * blocks / (blocks + 1)});
    each.set(study::Metric::Macs, {64.0 * blocks + 32});
    scores.push_back(each);
  }
  return volume_of(scores);
}

double mean_volume(const std::string& name, const SettingPairs& settings, int tickets, int seeds) {
  const model::Model net = spaces::testing::toy_net();
  double sum = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    ToyBlocks space(net, {.crosses = true});
    const StrategyOptions options{name,
                                  static_cast<std::uint64_t>(seed),
                                  4,
                                  {study::Metric::Accuracy, study::Metric::Macs},
                                  settings};
    const auto strategy = make_strategy(options, model::structure_of(net), {&space}).value();
    std::vector<study::Scores> scores;
    const auto judge = testing::judge_blocks(net, {&space});
    testing::SmallDriver driver(
        *strategy,
        [&](const Proposal& proposal) {
          Outcome outcome = judge(proposal);
          scores.push_back(outcome.scores);
          return outcome;
        },
        4);
    driver.run(tickets);
    sum += volume_of(scores);
  }
  return sum / seeds;
}

TEST(Evolution, ApproachesTheTrueFrontAndRandomDoesNot) {
  const double evolved = mean_volume("evolution", {}, 400, 5);
  const double drawn = mean_volume("random", {}, 400, 5);
  EXPECT_GT(evolved, 0.97 * best_volume());
  EXPECT_LT(evolved, 1.0001 * best_volume());
  EXPECT_LT(drawn, evolved - 0.02 * best_volume());
}

TEST(Evolution, BeginsWithTheOriginalAndChildrenOfIt) {
  const model::Model net = spaces::testing::toy_net();
  ToyBlocks space(net);
  const auto strategy =
      make_strategy({.name = "evolution"}, model::structure_of(net), {&space}).value();
  EXPECT_TRUE(strategy->propose(0)->candidate.edits.empty());
  for (Ticket ticket = 1; ticket < 4; ++ticket) {
    EXPECT_EQ(strategy->propose(ticket)->candidate.edits.size(), 1u);
  }
}

TEST(Evolution, ForgetsTheOldestButNotTheFrontUnlessItAges) {
  const model::Model net = spaces::testing::toy_net();
  const auto original_survives = [&](const std::string& aging) {
    ToyBlocks space(net);
    const StrategyOptions options{
        "evolution", 1, 1, {study::Metric::Accuracy}, {{"population", "5"}, {"aging", aging}}};
    const auto strategy = make_strategy(options, model::structure_of(net), {&space}).value();
    const auto judge = [&](const Proposal& proposal) {
      Outcome outcome;  // nothing is as good as the original
      outcome.scores.set(study::Metric::Accuracy, {proposal.candidate.edits.empty() ? 1.0 : 0.5});
      return outcome;
    };
    testing::SmallDriver driver(*strategy, judge, 1);
    driver.run(30);
    const Fingerprint original = identity_of(driver.trace().candidates[0]);
    const auto& all = driver.trace().candidates;
    return std::any_of(all.begin() + 15, all.end(),
                       [&](const auto& each) { return each.parent == original; });
  };
  EXPECT_TRUE(original_survives("no"));
  EXPECT_FALSE(original_survives("yes"));
}

TEST(Evolution, DoesNotBreedFromWhatWasRefused) {
  const model::Model net = spaces::testing::toy_net();
  ToyBlocks space(net);
  const auto strategy =
      make_strategy({.name = "evolution"}, model::structure_of(net), {&space}).value();
  const auto judge = [&](const Proposal& proposal) {
    Outcome outcome;
    outcome.is_refused = !proposal.candidate.edits.empty();
    return outcome;
  };
  testing::SmallDriver driver(*strategy, judge, 1);
  driver.run(12);
  for (const spaces::Candidate& candidate : driver.trace().candidates) {
    EXPECT_LE(candidate.edits.size(), 1u);
  }
}

TEST(Evolution, RemembersWhatIsAnEstimate) {
  const model::Model net = spaces::testing::toy_net();
  ToyBlocks space(net);
  const StrategyOptions options{
      "evolution", 1, 1, {study::Metric::Accuracy, study::Metric::Latency}, {}};
  const auto one = make_strategy(options, model::structure_of(net), {&space}).value();
  const auto other = make_strategy(options, model::structure_of(net), {&space}).value();
  Outcome outcome;
  outcome.candidate = one->propose(0)->candidate;
  outcome.scores.set(study::Metric::Accuracy, {0.5});
  outcome.scores.set(study::Metric::Latency, {0.5, 0, true});
  one->fold(0, outcome);
  const std::string state = one->state();
  ASSERT_TRUE(other->restore(state).ok());
  EXPECT_EQ(other->state(), state);
  outcome.scores.set(study::Metric::Latency, {0.5});
  const auto measured = make_strategy(options, model::structure_of(net), {&space}).value();
  measured->fold(0, outcome);
  EXPECT_NE(measured->state(), state);
}

TEST(Evolution, EndsWhenNothingNewComes) {
  const model::Model net = spaces::testing::toy_net(1);
  ToyBlocks space(net, {.most_blocks = 1, .most_edits = 1});
  const auto strategy =
      make_strategy({.name = "evolution"}, model::structure_of(net), {&space}).value();
  testing::SmallDriver driver(*strategy, testing::judge_blocks(net, {&space}), 2);
  driver.run(100);
  EXPECT_EQ(driver.trace().candidates.size(), 5u);  // the original and four activations
}

}  // namespace
}  // namespace cambium::search

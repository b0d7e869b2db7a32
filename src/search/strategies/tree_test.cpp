#include <chrono>
#include <set>

#include <gtest/gtest.h>

#include "search/strategy.h"
#include "search/testing/planted.h"
#include "spaces/testing/toy_tree.h"

namespace cambium::search {
namespace {

using spaces::testing::ToyTree;
using spaces::testing::ToyTreeOptions;
using SettingPairs = std::vector<std::pair<std::string, std::string>>;

const std::vector<int> kLengths = {3, 4, 5, 7, 8, 9, 11, 12, 13, 14, 15, 16};
constexpr int kSeeds = 20;

struct Summary {
  double best = 0, mean = 0;  // over the seeds
};

Summary run(const std::string& name, const SettingPairs& settings, Ticket tickets = 200,
            int in_flight = 4) {
  Summary summary;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    ToyTree space({.lengths = kLengths, .total = 60});
    const auto strategy =
        make_strategy({name, seed, in_flight, {}, settings}, {}, {&space}).value();
    testing::SmallDriver driver(*strategy, testing::judge_words(kLengths, "bdfk"), in_flight);
    driver.run(tickets);
    summary.best += driver.trace().best() / kSeeds;
    summary.mean += driver.trace().mean() / kSeeds;
  }
  return summary;
}

std::size_t count_all(const ToyTreeOptions& options, const SettingPairs& settings, int in_flight,
                      std::set<std::string>* words = nullptr) {
  ToyTree space(options);
  const auto strategy = make_strategy({"tree", 1, in_flight, {}, settings}, {}, {&space}).value();
  testing::SmallDriver driver(*strategy, testing::judge_words(options.lengths, "bd"), in_flight);
  driver.run(100000);
  for (const spaces::Candidate& candidate : driver.trace().candidates) {
    if (words != nullptr) words->insert(candidate.edits[0].document);
  }
  return driver.trace().candidates.size();
}

TEST(TreeSearch, FindsMoreThanRandomAtEqualBudget) {
  const Summary tree = run("tree", {}), random = run("random", {});
  EXPECT_GT(tree.best, random.best + 0.15);
  EXPECT_GT(tree.mean, 2 * random.mean);
}

TEST(TreeSearch, IsBetterForRaveAndWideningAndAsGoodWithTranspositions) {
  const Summary tree = run("tree", {});
  const Summary no_rave = run("tree", {{"rave", "no"}});
  const Summary no_widening = run("tree", {{"widening", "100"}});
  const Summary no_sharing = run("tree", {{"transpositions", "no"}});
  EXPECT_GT(tree.mean, 1.4 * no_rave.mean);
  EXPECT_GT(tree.best, no_rave.best + 0.03);
  EXPECT_GT(tree.mean, 1.1 * no_widening.mean);
  EXPECT_GT(tree.best, no_widening.best + 0.02);
  EXPECT_GT(tree.mean, 0.95 * no_sharing.mean);
}

TEST(TreeSearch, StillLearnsWithManyTicketsUnderWay) {
  const Summary few = run("tree", {}, 200, 1), many = run("tree", {}, 200, 32);
  const Summary random = run("random", {}, 200, 32);
  EXPECT_GT(many.mean, 1.3 * random.mean);
  EXPECT_GT(few.mean, many.mean);
}

TEST(TreeSearch, EndsWhenEveryLeafWasTriedOnce) {
  const ToyTreeOptions options{.lengths = {2, 3, 4, 5, 7}, .total = 30};
  for (const int in_flight : {1, 4, 64}) {
    std::set<std::string> words;
    EXPECT_EQ(count_all(options, {}, in_flight, &words), 130u);
    EXPECT_EQ(words.size(), 130u);
  }
}

TEST(TreeSearch, EndsAtOnceInATreeThatIsDead) {
  EXPECT_EQ(count_all({.lengths = {4, 6, 10}, .total = 31}, {}, 4), 0u);
}

TEST(TreeSearch, ProposesTheOneLeafThereIs) {
  EXPECT_EQ(count_all({.lengths = {7, 9, 11}, .total = 14}, {}, 4), 1u);
}

TEST(TreeSearch, KnowsALeafReachedInAnotherWayWithoutSharingStates) {
  const ToyTreeOptions plain{.lengths = {2, 3, 4, 5, 7}, .total = 12, .shares_states = false};
  EXPECT_EQ(count_all(plain, {}, 4), 12u);
  EXPECT_EQ(count_all({.lengths = {2, 3, 4, 5, 7}, .total = 12}, {{"transpositions", "no"}}, 4),
            12u);
}

TEST(TreeSearch, KeepsNoMoreNodesThanItMay) {
  ToyTree space({.lengths = kLengths, .total = 60});
  const auto size_with = [&](const std::string& nodes) {
    const auto strategy =
        make_strategy({"tree", 1, 4, {}, {{"nodes", nodes}}}, {}, {&space}).value();
    testing::SmallDriver driver(*strategy, testing::judge_words(kLengths, "bdfk"), 4);
    driver.run(1000);
    EXPECT_EQ(driver.trace().candidates.size(), 1000u);
    return strategy->state().size();
  };
  EXPECT_LT(2 * size_with("50"), size_with("100000"));
}

TEST(TreeSearch, RefusesTheTreeOfAnotherSpace) {
  ToyTree words({.lengths = {2, 3, 4, 5, 7}, .total = 12});
  // Its root differs.
  class Other final : public spaces::Space, public spaces::TreeOfEdits {
   public:
    std::string_view name() const override { return "other"; }
    Result<spaces::Edit> check(const model::Model&, const spaces::Edit& e) const override {
      return e;
    }
    Result<model::Model> apply(const model::Model& m, const spaces::Edit&) const override {
      return m;
    }
    spaces::Description describe(const model::Model&, const spaces::Edit&) const override {
      return {};
    }
    TreeOfEdits* tree() override { return this; }
    State root() override { return 0; }
    const std::vector<Action>& actions(State) override { return none_; }
    State next(State, std::size_t) override { return 0; }
    std::optional<spaces::Edits> finished(State) override { return std::nullopt; }
    Fingerprint identity(State) override { return fingerprint_of("other"); }

   private:
    std::vector<Action> none_;
  } other;
  const auto mine = make_strategy({}, {}, {&words}).value();
  const auto theirs = make_strategy({}, {}, {&other}).value();
  EXPECT_EQ(theirs->restore(mine->state()).rejection().reason(), Reason::BadSyntax);
}

}  // namespace
}  // namespace cambium::search

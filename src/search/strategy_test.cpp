// What holds for every strategy: which spaces it takes, that a seed means one search, that it goes
// on exactly from its state, and what of a state it refuses.
#include "search/strategy.h"

#include <set>

#include <gtest/gtest.h>

#include "model/fingerprint.h"
#include "search/testing/planted.h"
#include "spaces/testing/toy_blocks.h"
#include "spaces/testing/toy_net.h"
#include "spaces/testing/toy_sites.h"
#include "spaces/testing/toy_tree.h"

namespace cambium::search {
namespace {

using spaces::testing::ToyBlocks;
using spaces::testing::ToySites;
using spaces::testing::ToyTree;

const std::vector<int> kLengths = {3, 4, 5, 7, 8, 9, 11, 12, 13, 14, 15, 16};

// The spaces of one search; a new one knows nothing of what an old one has seen.
struct World {
  model::Model net = spaces::testing::toy_net();
  Fingerprint base = model::structure_of(net);
  ToyTree words{{.lengths = kLengths, .total = 60}};
  ToyBlocks blocks{net, {.crosses = true}};
  ToySites sites{3, {.widths = {1, 2, 3, 4, 5, 6}, .cuts = {2, 3, 4, 6, 7}}};

  std::vector<spaces::Space*> named(const std::string& which) {
    if (which == "words") return {&words};
    if (which == "blocks") return {&blocks};
    if (which == "sites") return {&sites};
    if (which == "words and sites") return {&words, &sites};
    if (which == "both") return {&words, &blocks};
    return {&words, &blocks, &sites};
  }
  testing::Judge judge() {
    return [words_judge = testing::judge_words(kLengths, "bdfk"),
            blocks_judge = testing::judge_blocks(net, {&blocks}),
            sites_judge = testing::judge_sites(net, {&sites})](const Proposal& proposal) {
      if (proposal.space == "toy-sites") return sites_judge(proposal);
      return proposal.space == "toy-tree" ? words_judge(proposal) : blocks_judge(proposal);
    };
  }
};

struct Search {
  std::string name, spaces;
  std::vector<std::pair<std::string, std::string>> settings;

  StrategyOptions options(std::uint64_t seed) const {
    return {name,     seed,
            4,        {study::Metric::Accuracy, study::Metric::Macs},
            settings, testing::planted_of_sites(spaces::testing::toy_net())};
  }
};

std::vector<Search> searches() {
  return {{"random", "words", {}},
          {"random", "blocks", {}},
          {"enumerate", "words", {}},
          {"tree", "words", {}},
          {"tree", "words", {{"transpositions", "no"}, {"rave", "no"}}},
          {"tree", "words", {{"nodes", "100"}}},
          {"evolution", "blocks", {}},
          {"evolution", "blocks", {{"population", "40"}, {"aging", "yes"}}},
          {"tree", "both", {{"toy-blocks.strategy", "evolution"}}},
          {"compose", "sites", {{"cost", "macs"}, {"gain", "quality"}, {"front", "20"}}},
          {"compose", "sites", {{"cost", "macs"}, {"pairs", "0"}, {"by-meaning", "yes"}}},
          {"compose",
           "sites",
           {{"cost", "macs"}, {"gain", "quality"}, {"neighbours", "yes"}, {"front", "10"}}},
          {"compose",
           "words and sites",
           {{"cost", "macs"}, {"gain", "quality"}, {"toy-tree.strategy", "tree"}}}};
}

std::unique_ptr<Strategy> made(const Search& search, World& world, std::uint64_t seed) {
  return make_strategy(search.options(seed), world.base, world.named(search.spaces)).value();
}

Reason refusal_of(const Result<std::unique_ptr<Strategy>>& made) {
  return made.ok() ? Reason::NotFound : made.rejection().reason();
}

class EveryStrategy : public ::testing::TestWithParam<std::size_t> {
 protected:
  Search search_ = searches()[GetParam()];
  World world_;
};

TEST_P(EveryStrategy, ProposesNothingTwiceAndAllThatItProposesApplies) {
  const auto strategy = made(search_, world_, 3);
  testing::SmallDriver driver(*strategy, world_.judge(), 4);
  driver.run(200);
  EXPECT_EQ(driver.trace().candidates.size(), 200u);
  std::set<Fingerprint> met;
  for (const spaces::Candidate& candidate : driver.trace().candidates) {
    EXPECT_TRUE(met.insert(identity_of(candidate)).second);
    EXPECT_TRUE(apply(world_.net, candidate, world_.named("all")).ok());
  }
}

TEST_P(EveryStrategy, IsTheSameForTheSameSeedAndAnotherForAnother) {
  std::vector<std::vector<spaces::Candidate>> traces;
  for (const std::uint64_t seed : {3u, 3u, 4u}) {
    World world;
    const auto strategy = made(search_, world, seed);
    testing::SmallDriver driver(*strategy, world.judge(), 4);
    driver.run(100);
    traces.push_back(driver.trace().candidates);
  }
  EXPECT_EQ(traces[0], traces[1]);
  const bool has_chance = search_.name != "enumerate" &&
                          (search_.name != "compose" || search_.spaces == "words and sites");
  EXPECT_EQ(traces[0] == traces[2], !has_chance);
}

TEST_P(EveryStrategy, GoesOnExactlyFromItsState) {
  Rng rng(GetParam());
  std::set<std::int64_t> stops = {0, 1};
  while (stops.size() < 6) stops.insert(rng.between(2, 499));

  const auto strategy = made(search_, world_, 11);
  testing::SmallDriver driver(*strategy, world_.judge(), 4);
  struct Resumed {
    std::unique_ptr<World> world;
    std::unique_ptr<Strategy> strategy;
    testing::SmallDriver driver;
  };
  std::vector<Resumed> resumed;
  for (std::int64_t ticket = 0; ticket < 500; ++ticket) {
    if (stops.contains(ticket)) {
      auto world = std::make_unique<World>();
      auto other = made(search_, *world, 11);
      ASSERT_TRUE(other->restore(strategy->state()).ok());
      EXPECT_EQ(other->state(), strategy->state());
      Resumed& added = resumed.emplace_back(Resumed{std::move(world), std::move(other), driver});
      added.driver.go_on_with(*added.strategy);
    }
    driver.step();
  }
  for (Resumed& each : resumed) {
    const auto done = static_cast<std::int64_t>(each.driver.trace().rewards.size());
    each.driver.run(500 - done);
    EXPECT_EQ(each.driver.trace().candidates, driver.trace().candidates);
    EXPECT_EQ(each.strategy->state(), strategy->state());
  }
}

TEST_P(EveryStrategy, RefusesAStateThatIsCutOrOfAnother) {
  const auto strategy = made(search_, world_, 3);
  testing::SmallDriver driver(*strategy, world_.judge(), 4);
  driver.run(30);
  const std::string state = strategy->state();
  World fresh;
  for (std::size_t i = 0; i < 40; ++i) {
    const auto other = made(search_, fresh, 3);
    const std::size_t length = state.size() * i / 40;
    const Status status = other->restore(std::string_view(state).substr(0, length));
    ASSERT_FALSE(status.ok()) << length;
    EXPECT_EQ(status.rejection().reason(), Reason::BadSyntax);
  }
  EXPECT_EQ(strategy->restore("7 nothing ").rejection().reason(), Reason::BadSyntax);
}

INSTANTIATE_TEST_SUITE_P(All, EveryStrategy, ::testing::Range<std::size_t>(0, searches().size()));

TEST(Strategy, RefusesASpaceWithoutWhatItNeeds) {
  World world;
  const auto reason = [&](const std::string& name, const std::string& spaces) {
    return refusal_of(make_strategy({.name = name}, world.base, world.named(spaces)));
  };
  EXPECT_EQ(reason("tree", "blocks"), Reason::NoFacet);
  EXPECT_EQ(reason("enumerate", "blocks"), Reason::NoFacet);
  EXPECT_EQ(reason("evolution", "words"), Reason::NoFacet);
  EXPECT_EQ(reason("evolution", "both"), Reason::NoFacet);
  EXPECT_EQ(reason("compose", "blocks"), Reason::NoFacet);
  EXPECT_EQ(reason("random", "both"), Reason::NotFound);
  EXPECT_EQ(refusal_of(make_strategy({}, world.base, {})), Reason::NoFacet);
  EXPECT_EQ(make_strategy({.name = "tree"}, world.base, world.named("both")).rejection().message(),
            "space 'toy-blocks': strategy 'tree' needs a space that has a tree");
}

// Offers nothing but what every space must.
class Bare final : public spaces::Space {
 public:
  std::string_view name() const override { return "bare"; }
  Result<spaces::Edit> check(const model::Model&, const spaces::Edit& edit) const override {
    return edit;
  }
  Result<model::Model> apply(const model::Model& model, const spaces::Edit&) const override {
    return model;
  }
  spaces::Description describe(const model::Model&, const spaces::Edit&) const override {
    return {};
  }
};

TEST(Strategy, OfAnyNameRefusesASpaceWithoutFacets) {
  Bare bare;
  for (const std::string& name : strategy_names()) {
    EXPECT_EQ(refusal_of(make_strategy({.name = name}, {}, {&bare})), Reason::NoFacet) << name;
  }
}

TEST(Strategy, RefusesNamesAndSettingsThatAreNone) {
  World world;
  const auto reason = [&](const Search& search) {
    return refusal_of(make_strategy(search.options(1), world.base, world.named(search.spaces)));
  };
  EXPECT_EQ(reason({"annealing", "words", {}}), Reason::UnknownStrategy);
  EXPECT_EQ(reason({"tree", "words", {{"temperature", "1"}}}), Reason::BadOption);
  EXPECT_EQ(reason({"tree", "words", {{"widening", "-1"}}}), Reason::BadOption);
  EXPECT_EQ(reason({"evolution", "blocks", {{"population", "0"}}}), Reason::BadOption);
  EXPECT_EQ(reason({"compose", "sites", {{"cost", "joy"}}}), Reason::BadOption);
  EXPECT_EQ(reason({"compose", "sites", {{"cost", "macs"}, {"gain", "joy"}}}), Reason::BadOption);
  EXPECT_EQ(reason({"compose", "sites", {{"cost", "macs"}, {"front", "0"}}}), Reason::BadOption);
  EXPECT_EQ(reason({"random", "both", {{"bandit.discount", "0"}}}), Reason::BadOption);
  EXPECT_EQ(reason({"random", "both", {{"microdag.walk", "3"}}}), Reason::BadOption);
  EXPECT_EQ(reason({"random", "both", {{"toy-blocks.walk", "3"}}}), Reason::NotFound);
  EXPECT_EQ(reason({"random", "both", {{"toy-tree.strategy", "luck"}}}), Reason::UnknownStrategy);
}

}  // namespace
}  // namespace cambium::search

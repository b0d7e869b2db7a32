#include "spaces/space.h"

#include <gtest/gtest.h>

#include "model/fingerprint.h"
#include "spaces/testing/toy_blocks.h"
#include "spaces/testing/toy_net.h"
#include "spaces/testing/toy_tree.h"

namespace cambium::spaces {
namespace {

struct Fixture {
  model::Model net = testing::toy_net();
  testing::ToyTree words;
  testing::ToyBlocks blocks{net};
  Candidate candidate{model::structure_of(net), {}, std::nullopt};

  Result<model::Model> applied() { return apply(net, candidate, {&words, &blocks}); }
  Reason refusal() {
    const auto model = applied();
    return model.ok() ? Reason::NotFound : model.rejection().reason();
  }
};

TEST(Apply, WithoutEditsGivesTheBase) {
  Fixture f;
  EXPECT_EQ(model::structure_of(f.applied().value()), f.candidate.base);
}

TEST(Apply, MixesSpacesAndEachEditMeetsTheModelBeforeIt) {
  Fixture f;
  f.candidate.edits = {{"toy-blocks", {"b0"}, "duplicate"}, {"toy-tree", {"b0+.fc"}, "aaaaaa"}};
  const model::Model model = f.applied().value();
  EXPECT_EQ(testing::toy_blocks_of(model), (std::vector<std::string>{"b0", "b0+", "b1", "b2"}));
  std::swap(f.candidate.edits[0], f.candidate.edits[1]);
  EXPECT_EQ(f.refusal(), Reason::UnknownSite);
}

TEST(Apply, RefusesAnotherBase) {
  Fixture f;
  f.candidate.base = fingerprint_of("another");
  EXPECT_EQ(f.refusal(), Reason::NotThisBase);
}

TEST(Apply, RefusesASpaceThatIsNotThere) {
  Fixture f;
  f.candidate.edits = {{"toy-blocks", {"b0"}, "delete"}, {"microdag", {"b0"}, ""}};
  const auto refused = f.applied();
  EXPECT_EQ(f.refusal(), Reason::UnknownSpace);
  EXPECT_EQ(refused.rejection().message(),
            "edit 1: unknown space 'microdag'; expected one of toy-tree, toy-blocks");
}

TEST(Apply, ChecksEachEdit) {
  Fixture f;
  f.candidate.edits = {{"toy-tree", {"b0.fc"}, "a"}};
  EXPECT_EQ(f.refusal(), Reason::WrongDomain);
}

// Every edit is described for the model that those before it left.
TEST(Canonical, IsOneCandidateForAllWaysOfWritingIt) {
  Fixture f;
  const std::vector<Space*> spaces{&f.words, &f.blocks};
  f.candidate.edits = {{"toy-tree", {"b1.fc"}, "eba"}};
  const Candidate first = canonical(f.net, f.candidate, spaces).value();
  f.candidate.edits[0].document = "bea";
  const Candidate second = canonical(f.net, f.candidate, spaces).value();
  EXPECT_EQ(identity_of(first), identity_of(second));
  EXPECT_EQ(first.edits[0].document, "abe");
  EXPECT_NE(identity_of(f.candidate), identity_of(first));
}

TEST(Canonical, RefusesWhatApplyRefusesAndACandidateWithoutEdits) {
  Fixture f;
  const std::vector<Space*> spaces{&f.words, &f.blocks};
  const auto refusal = [&] { return canonical(f.net, f.candidate, spaces).rejection().reason(); };
  EXPECT_EQ(refusal(), Reason::NoProposal);
  f.candidate.edits = {{"toy-tree", {"b0.fc"}, "a"}};
  EXPECT_EQ(refusal(), Reason::WrongDomain);
}

TEST(Describe, FollowsTheEdits) {
  Fixture f;
  f.candidate.edits = {{"toy-blocks", {"b0"}, "duplicate"}, {"toy-tree", {"b0+.fc"}, "aaaaaa"}};
  const auto about = describe(f.net, f.candidate, {&f.words, &f.blocks});
  ASSERT_EQ(about.size(), 2u);
  EXPECT_EQ(about[0].title, "duplicate b0");
  EXPECT_EQ(about[1].title, "the word aaaaaa");
  f.candidate.edits[0].sites = {"b7"};
  EXPECT_LE(describe(f.net, f.candidate, {&f.words, &f.blocks}).size(), 1u);
}

// A space without the facet tells documents apart, the order of sites it does not.
TEST(Meaning, IsTheDocumentWhereTheSpaceKnowsNoBetter) {
  Fixture f;
  const std::vector<Space*> spaces = {&f.words, &f.blocks};
  const auto meaning = [&](const Edits& edits) {
    return meaning_of({f.candidate.base, edits, std::nullopt}, spaces);
  };
  EXPECT_EQ(meaning({{"toy-tree", {"b0.fc", "b1.fc"}, "ab"}}),
            meaning({{"toy-tree", {"b1.fc", "b0.fc"}, "ab"}}));
  EXPECT_NE(meaning({{"toy-tree", {"b0.fc"}, "ab"}}), meaning({{"toy-tree", {"b0.fc"}, "ba"}}));
}

TEST(Costs, ExceedALimitThatIsThere) {
  EXPECT_FALSE(exceeds({.macs = 3}, {}));
  EXPECT_FALSE(exceeds({.macs = 3}, {.macs = 3, .memory = 1}));
  EXPECT_TRUE(exceeds({.macs = 3, .parameters = 4}, {.macs = 3, .parameters = 3}));
  EXPECT_TRUE(exceeds({.memory = 3}, {.memory = 2}));
  EXPECT_TRUE(exceeds({.activations = 3}, {.activations = 2}));
}

TEST(Descend, GivesTheSameForTheSameNumbersAndNothingAtADeadEnd) {
  testing::ToyTree words;
  int died = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed), again(seed);
    const auto a = words.descend(words.root(), rng);
    testing::ToyTree fresh;
    const auto b = fresh.descend(fresh.root(), again);
    ASSERT_EQ(a.has_value(), b.has_value());
    if (!a) {
      ++died;
      continue;
    }
    EXPECT_EQ(a->edits, b->edits);
    ASSERT_EQ(a->edits.size(), 1u);
    EXPECT_EQ(a->actions.size(), a->edits[0].document.size());
    EXPECT_TRUE(words.check(testing::toy_net(), a->edits[0]).ok());
  }
  EXPECT_GT(died, 10);
  EXPECT_LT(died, 150);
}

}  // namespace
}  // namespace cambium::spaces

#include "spaces/testing/toy_tree.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "base/text.h"
#include "model/cost.h"
#include "model/fingerprint.h"
#include "spaces/testing/toy_net.h"

namespace cambium::spaces::testing {
namespace {

void walk(ToyTree& tree, TreeOfEdits::State state, std::multiset<std::string>& found) {
  if (const auto edits = tree.finished(state)) {
    std::string words;
    for (const Edit& edit : *edits) words += edit.document + " at " + join(edit.sites, ", ") + "; ";
    found.insert(words);
    return;
  }
  const std::size_t count = tree.actions(state).size();
  for (std::size_t i = 0; i < count; ++i) walk(tree, tree.next(state, i), found);
}

TEST(ToyTree, ReachesEveryWordAndMostOfThemInSeveralWays) {
  ToyTree tree;
  std::multiset<std::string> found;
  walk(tree, tree.root(), found);
  const std::set<std::string> words(found.begin(), found.end());
  EXPECT_EQ(words.size(), 12u);  // partitions of 12 into 2, 3, 4, 5, 7
  EXPECT_GT(found.size(), 3 * words.size());
}

TEST(ToyTree, SharesStatesUnlessToldNotTo) {
  ToyTree shared;
  ToyTree plain({.shares_states = false});
  std::multiset<std::string> found;
  walk(shared, shared.root(), found);
  walk(plain, plain.root(), found);
  EXPECT_LT(3 * shared.states(), plain.states());
}

TEST(ToyTree, MakesAnotherModelOfEachWord) {
  const model::Model net = toy_net();
  ToyTree tree;
  const Edit edit = tree.check(net, {"toy-tree", {"b1.fc"}, "eba"}).value();
  EXPECT_EQ(edit.document, "abe");
  const model::Model model = tree.apply(net, edit).value();
  // 8x2 + 2x3 + 3x7 + 7x8 in the place of 8x8
  EXPECT_EQ(model::cost_of(model).macs - model::cost_of(net).macs, 16 + 6 + 21 + 56 - 64);
  EXPECT_EQ(tree.describe(net, edit).title, "the word abe");
}

// One proposal, several edits with different documents.
TEST(ToyTree, ProposesAWordForEachSite) {
  const model::Model net = testing::toy_net();
  ToyTree tree({.sites = {"b0.fc", "b1.fc"}, .per_site = true});
  std::multiset<std::string> found;
  walk(tree, tree.root(), found);
  const std::set<std::string> words(found.begin(), found.end());
  EXPECT_EQ(words.size(), 12u * 12u);
  EXPECT_EQ(words.count("aaaaaa at b0.fc, b1.fc; "), 1u)
      << "sites with the same word share an edit";
  EXPECT_EQ(words.count("aaaaaa at b0.fc; abe at b1.fc; "), 1u);
  Rng rng(1);
  std::size_t most = 0;
  for (int i = 0; i < 100; ++i) {
    const auto descent = tree.descend(tree.root(), rng);
    if (!descent) continue;
    most = std::max(most, descent->edits.size());
    const Candidate candidate{model::structure_of(net), descent->edits, std::nullopt};
    const model::Model model = spaces::apply(net, candidate, {&tree}).value();
    const Costs least = tree.cost_bound(candidate.edits, {});
    EXPECT_LE(*least.macs, static_cast<double>(model::cost_of(model).macs));
    EXPECT_LE(*least.parameters, static_cast<double>(model::cost_of(model).params));
  }
  EXPECT_EQ(most, 2u);
}

TEST(ToyTree, IsMadeByItsKind) {
  const model::Model net = testing::toy_net();
  const SpaceKind kind = toy_tree_kind();
  const auto targets = model::select(net, kind.targets).value();
  EXPECT_EQ(kind.options().at(0).name, "total");
  EXPECT_EQ(kind.options().at(0).standard, "12");
  const auto space = kind.make(net, targets, {{"total", "5"}}).value();
  const Edits edits = space->reads()->edits_of("ba").value();
  ASSERT_EQ(edits.size(), 1u);
  EXPECT_EQ(edits[0].document, "ab");
  EXPECT_EQ(edits[0].sites, (std::vector<std::string>{"b0.fc", "b1.fc", "b2.fc"}));
  EXPECT_EQ(kind.make(net, targets, {{"total", "many"}}).rejection().reason(), Reason::BadOption);
}

TEST(ToyTree, RefusesWhatIsNoWordOfItsLength) {
  const model::Model net = toy_net();
  const ToyTree tree;
  const auto reason = [&](const Edit& edit) { return tree.check(net, edit).rejection().reason(); };
  EXPECT_EQ(reason({"toy-tree", {"b1.fc"}, "abz"}), Reason::BadSyntax);
  EXPECT_EQ(reason({"toy-tree", {"b1.fc"}, "ab"}), Reason::WrongDomain);
  EXPECT_EQ(reason({"toy-tree", {"b9.fc"}, "abe"}), Reason::UnknownSite);
}

}  // namespace
}  // namespace cambium::spaces::testing

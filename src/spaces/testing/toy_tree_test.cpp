#include "spaces/testing/toy_tree.h"

#include <set>

#include <gtest/gtest.h>

#include "model/cost.h"
#include "spaces/testing/toy_net.h"

namespace cambium::spaces::testing {
namespace {

void walk(ToyTree& tree, TreeOfEdits::State state, std::multiset<std::string>& found) {
  if (const auto edit = tree.finished(state)) {
    found.insert(edit->document);
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

#include "spaces/coordinate/search/tree.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "model/zoo/zoo.h"
#include "spaces/coordinate/known.h"
#include "spaces/coordinate/search/space.h"

namespace cambium::spaces::coordinate {
namespace {

using State = TreeOfEdits::State;

const model::Model& base() {
  static const model::Model model = model::zoo::build("tiny-resnet", {.image = 16}).value();
  return model;
}

std::unique_ptr<CoordinateSpace> space_with(const SpaceOptions& options,
                                            std::string_view selector = "conv:k=3") {
  return CoordinateSpace::make(base(), model::select(base(), selector).value(), options).value();
}

// Of one weight and few primitives: small enough to go through whole.
SpaceOptions few() {
  SpaceOptions options;
  options.limits.primitives = 6;
  options.limits.weights = 1;
  options.limits.merges = options.limits.shifts = 0;
  options.least_macs = 0;
  options.least_mixed = 0;
  options.most_macs = 1;
  return options;
}

// All edits below a state, every state met once.
void collect(TreeOfEdits& tree, State state, std::set<State>& met, std::set<std::string>& edits) {
  if (!met.insert(state).second) return;
  if (const auto found = tree.finished(state)) edits.insert(found->front().document);
  const std::size_t count = tree.actions(state).size();
  for (std::size_t i = 0; i < count; ++i) collect(tree, tree.next(state, i), met, edits);
}

TEST(CoordinateTree, HoldsWhatIsEnumerated) {
  const auto space = space_with(few());
  std::set<State> met;
  std::set<std::string> in_tree;
  collect(*space->tree(), space->tree()->root(), met, in_tree);
  std::size_t listed = 0;
  while (const auto edits = space->enumerates()->next()) {
    const std::string& document = edits->front().document;
    EXPECT_EQ(in_tree.count(document), 1u) << document;
    ++listed;
  }
  EXPECT_GT(listed, 50u);
  EXPECT_GE(in_tree.size(), listed);  // a listing has one of those that compute the same
}

TEST(CoordinateTree, AnswersTheSameWhateverWasAskedBefore) {
  const auto first = space_with({}), second = space_with({});
  for (std::uint64_t seed = 20; seed-- > 10;) (void)second->samples()->sample(seed);
  Rng rng(4);
  State a = first->tree()->root(), b = second->tree()->root();
  for (int step = 0; step < 8; ++step) {
    EXPECT_EQ(first->tree()->identity(a), second->tree()->identity(b));
    const auto actions = first->tree()->actions(a);
    const auto& others = second->tree()->actions(b);
    ASSERT_EQ(actions.size(), others.size());
    for (std::size_t i = 0; i < actions.size(); ++i) {
      EXPECT_EQ(actions[i].label, others[i].label);
      EXPECT_TRUE(i == 0 || actions[i - 1].label < actions[i].label);
    }
    if (actions.empty()) break;
    const std::size_t chosen = rng.below(actions.size());
    a = first->tree()->next(a, chosen);
    b = second->tree()->next(b, chosen);
  }
}

TEST(CoordinateTree, TwoOrdersOfStepsMeet) {
  const auto space = space_with(few());
  TreeOfEdits& tree = *space->tree();
  std::set<State> met;
  std::map<State, int> parents;
  const auto visit = [&](auto&& self, State state) -> void {
    if (!met.insert(state).second) return;
    const std::size_t count = tree.actions(state).size();
    for (std::size_t i = 0; i < count; ++i) {
      const State next = tree.next(state, i);
      ++parents[next];
      self(self, next);
    }
  };
  visit(visit, tree.root());
  std::set<Fingerprint> identities;
  int shared = 0;
  for (const State state : met) {
    EXPECT_TRUE(identities.insert(tree.identity(state)).second);
    shared += parents[state] > 1;
  }
  EXPECT_GT(shared, 10);
}

// What a descent says it did leads to the edit that it gave.
TEST(CoordinateTree, DescentsCanBeFollowed) {
  SpaceOptions options;
  options.least_mixed = 2;
  const auto space = space_with(options);
  TreeOfEdits& tree = *space->tree();
  Rng rng(1);
  int found = 0;
  for (int i = 0; i < 60 && found < 5; ++i) {
    const auto descent = tree.descend(tree.root(), rng);
    if (!descent || !descent->is_wanted()) continue;
    ++found;
    State state = tree.root();
    for (const auto& action : descent->actions) {
      const auto& open = tree.actions(state);
      const auto place = std::find_if(open.begin(), open.end(), [&](const auto& other) {
        return other.label == action.label && other.kind == action.kind;
      });
      ASSERT_NE(place, open.end()) << action.label;
      state = tree.next(state, static_cast<std::size_t>(place - open.begin()));
    }
    EXPECT_EQ(tree.finished(state), descent->edits);
    ASSERT_EQ(descent->edits.size(), 1u);
    EXPECT_EQ(space->check(base(), descent->edits[0]).value(), descent->edits[0]);
  }
  EXPECT_EQ(found, 5);
}

TEST(CoordinateTree, BeginsWithTheFamilyWhereThereAreSeveral) {
  const auto space = space_with(few(), "conv:k=3+linear:*");
  const auto& actions = space->tree()->actions(space->tree()->root());
  ASSERT_EQ(actions.size(), 2u);
  EXPECT_EQ(actions[0].label, "[N, Ci, H, W] -> [N, Co, H, W]");
  EXPECT_EQ(actions[1].label, "[N, Ci] -> [N, Co]");
}

}  // namespace
}  // namespace cambium::spaces::coordinate

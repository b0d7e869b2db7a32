// The space as a tree: layer by layer, move by move.
#include "spaces/loopnest/tree.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "spaces/loopnest/loopnest_testing.h"

namespace cambium::spaces::loopnest {
namespace {

using State = TreeOfEdits::State;
using Labels = std::vector<std::string>;

struct Grown {
  explicit Grown(const model::Model& model, const LoopNestOptions& with = {})
      : options(with), shapes(options.limits()), survey(model, shapes) {
    std::vector<std::size_t> all(survey.sites().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    layers = layers_of(survey, all, options.tie);
    tree = std::make_unique<LoopNestTree>(survey, layers, options);
  }

  Labels labels(State state) {
    Labels labels;
    for (const auto& action : tree->actions(state)) labels.push_back(action.label);
    return labels;
  }
  // The state behind these labels.
  State follow(State state, const Labels& way) {
    for (const std::string& label : way) {
      const Labels here = labels(state);
      const auto at = std::find(here.begin(), here.end(), label);
      if (at == here.end()) {
        ADD_FAILURE() << "no action " << label;
        return state;
      }
      state = tree->next(state, static_cast<std::size_t>(at - here.begin()));
    }
    return state;
  }

  LoopNestOptions options;
  VariantsByShape shapes;
  Survey survey;
  std::vector<Layer> layers;
  std::unique_ptr<LoopNestTree> tree;
};

TEST(Tree, GoesLayerByLayer) {
  Grown grown(chain());
  const State root = grown.tree->root();
  const Labels first = grown.labels(root);
  EXPECT_EQ(first.front(), "a: done");
  EXPECT_EQ(std::set<std::string>(first.begin(), first.end()).size(), first.size());
  for (const auto& action : grown.tree->actions(root)) {
    EXPECT_EQ(action.label.rfind("a: " + action.kind, 0), 0u) << action.label;
  }
  const State behind = grown.follow(root, {"a: group co 2", "a: done"});
  EXPECT_EQ(grown.labels(behind).front(), "b: done");
  const State leaf = grown.follow(behind, {"b: done", "c: group co 4", "c: done"});
  EXPECT_TRUE(grown.labels(leaf).empty());
  const auto edits = grown.tree->finished(leaf);
  ASSERT_TRUE(edits.has_value());
  ASSERT_EQ(edits->size(), 2u);
  EXPECT_EQ((*edits)[0].sites, (std::vector<std::string>{"a"}));
  EXPECT_EQ((*edits)[1].document, "group(outer: co, inner: ci, factor: 4)\n");
  EXPECT_EQ(grown.tree->finished(behind), std::nullopt) << "it is no leaf";
}

TEST(Tree, TheOriginalIsNoProposal) {
  Grown grown(chain());
  const State leaf = grown.follow(grown.tree->root(), {"a: done", "b: done", "c: done"});
  EXPECT_TRUE(grown.labels(leaf).empty());
  EXPECT_EQ(grown.tree->finished(leaf), std::nullopt);
}

TEST(Tree, TwoOrdersOfTheSameStepsMeet) {
  Grown grown(chain());
  const State root = grown.tree->root();
  const State one = grown.follow(root, {"a: group co 2", "a: spatial bottleneck h 2"});
  const State other = grown.follow(root, {"a: spatial bottleneck h 2", "a: group co 2"});
  EXPECT_EQ(one, other);
  const State further = grown.follow(root, {"a: group co 4"});
  EXPECT_NE(one, further);
  EXPECT_NE(grown.tree->identity(one), grown.tree->identity(further));
}

TEST(Tree, KeepsTheNumberOfSteps) {
  LoopNestOptions options;
  options.steps = 1;
  Grown grown(chain(), options);
  const State one = grown.follow(grown.tree->root(), {"a: group co 2"});
  EXPECT_EQ(grown.labels(one), (Labels{"a: done"}));
}

TEST(Tree, ALayerBehindANarrowedOneHasFewerMoves) {
  Grown grown(chain());
  const State root = grown.tree->root();
  const Labels wide = grown.labels(grown.follow(root, {"a: done"}));
  const Labels narrow = grown.labels(grown.follow(root, {"a: bottleneck co 8", "a: done"}));
  EXPECT_TRUE(std::count(wide.begin(), wide.end(), "b: group co 4"));
  EXPECT_FALSE(std::count(narrow.begin(), narrow.end(), "b: group co 4"))
      << "one channel of a group is left";
}

// A resumed search has a new object, which must see the same tree, whatever was asked before.
TEST(Tree, IsTheSameOfEveryObject) {
  Grown first(chain()), second(chain());
  Rng away(9);
  for (int i = 0; i < 5; ++i) static_cast<void>(second.tree->descend(second.tree->root(), away));
  State a = first.tree->root(), b = second.tree->root();
  Rng rng(4);
  while (true) {
    const Labels labels = first.labels(a);
    EXPECT_EQ(labels, second.labels(b));
    EXPECT_EQ(first.tree->identity(a), second.tree->identity(b));
    EXPECT_EQ(first.tree->finished(a), second.tree->finished(b));
    if (labels.empty()) break;
    const auto action = static_cast<std::size_t>(rng.below(labels.size()));
    a = first.tree->next(a, action);
    b = second.tree->next(b, action);
  }
}

TEST(Tree, DescentsAreWaysOfTheTree) {
  Grown grown(chain()), other(chain());
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Rng rng(seed), same(seed);
    const auto descent = grown.tree->descend(grown.tree->root(), rng);
    const auto again = other.tree->descend(other.tree->root(), same);
    ASSERT_EQ(descent.has_value(), again.has_value());
    if (!descent) continue;
    ++found;
    EXPECT_EQ(descent->edits, again->edits);
    EXPECT_TRUE(descent->is_wanted());
    EXPECT_EQ(std::count_if(descent->actions.begin(), descent->actions.end(),
                            [](const auto& action) { return action.kind == "done"; }),
              3);
    for (const Edit& edit : descent->edits) EXPECT_FALSE(edit.document.empty());
  }
  EXPECT_GT(found, 20);
}

TEST(Tree, TiedLayersAreOneLevel) {
  LoopNestOptions options;
  options.tie = "shape";
  Grown grown(residual(), options);
  const State leaf = grown.follow(grown.tree->root(), {"8 -> 16 channels, 3x3, 8x8: done",
                                                       "16 -> 16 channels, 3x3, 8x8: group co 2",
                                                       "16 -> 16 channels, 3x3, 8x8: done"});
  const auto edits = grown.tree->finished(leaf);
  ASSERT_TRUE(edits.has_value());
  ASSERT_EQ(edits->size(), 1u);
  EXPECT_EQ((*edits)[0].sites.size(), 4u);
}

}  // namespace
}  // namespace cambium::spaces::loopnest

// Passes and groups on random models: what a model computes does not change, and groups keep their
// contract.
#include <unordered_map>

#include "lower/groups.h"
#include "lower/passes.h"
#include "lower/passes_testing.h"
#include "model/random_model.h"

namespace cambium::lower {
namespace {

constexpr std::uint64_t kModels = 300;

TEST(Passes, KeepWhatRandomModelsCompute) {
  int shorter = 0;
  for (std::uint64_t seed = 1; seed <= kModels; ++seed) {
    const model::Model model = model::random_model(seed);
    const auto prepared = prepare(model);
    ASSERT_TRUE(prepared.ok()) << "seed " << seed << ": " << prepared.rejection().message();
    SCOPED_TRACE(seed);
    expect_same_function(model, *prepared, 0);  // none of these has batch norms to fold
    shorter += prepared->nodes().size() < model.nodes().size();
  }
  EXPECT_GT(shorter, 50);
}

TEST(Groups, HoldEveryNodeOnceAndReadEarlierGroupsOnly) {
  int joined = 0;
  for (std::uint64_t seed = 1; seed <= kModels; ++seed) {
    const model::Model model = model::random_model(seed);
    const model::Uses uses(model);
    SCOPED_TRACE(seed);
    std::unordered_map<model::NodeId, std::size_t> group_of;
    const std::vector<FusionGroup> groups = groups_of(model);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      joined += groups[g].nodes.size() > 1;
      for (const model::NodeId id : groups[g].nodes) {
        EXPECT_TRUE(group_of.emplace(id, g).second) << "in two groups";
        for (const model::Value value : model.node(id).inputs) {
          if (model.node(value.node).inputs.empty()) continue;
          ASSERT_TRUE(group_of.count(value.node)) << "reads what no group before has made";
        }
      }
      for (const model::NodeId id : groups[g].nodes) {
        if (id == groups[g].nodes.back()) continue;
        for (const model::Use& use : uses.of({id, 0})) {
          ASSERT_TRUE(use.node.valid() && group_of.count(use.node) && group_of[use.node] == g)
              << "an inner value is read outside";
        }
      }
    }
    for (const model::NodePtr& node : model.nodes()) {
      EXPECT_EQ(group_of.count(node->id), node->inputs.empty() ? 0u : 1u);
    }
  }
  EXPECT_GT(joined, 100);
}

}  // namespace
}  // namespace cambium::lower

#include <gtest/gtest.h>

#include "lower/lower_testing.h"
#include "lower/operator_cases.h"
#include "model/random_model.h"
#include "model/reference/execute.h"

namespace cambium::lower {
namespace {

// Random models: values grow in long chains of products and are compared with the largest of them.
constexpr double kChains = 50;

struct Given {
  model::Model model;
  std::vector<model::Tensor> inputs, expected;
  Values values;

  explicit Given(std::uint64_t seed) : model(model::random_model(seed)) {
    for (const model::NodeId id : model.inputs()) {
      inputs.push_back(random_tensor(DType::F32, model.type({id, 0}).dims, seed + id.index));
      values.emplace(model::Value{id, 0}, inputs.back());
    }
    expected = model::execute(model, inputs).value();
  }

  void expect_results(std::uint64_t seed) const {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto found = values.find(model.outputs()[i].value);
      if (found == values.end()) continue;  // an input or a weight
      EXPECT_LE(disagreement(found->second, expected[i]), kChains) << "seed " << seed;
    }
  }
};

TEST(LowerPropTest, RunsOfNodesComputeWhatTheModelDoesInRandomLayouts) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Given given(seed);
    Rng rng(seed);
    const Layouts layouts = random_layouts(given.model, rng);
    const std::vector<model::NodeId> nodes = computing_nodes(given.model);
    for (std::size_t begin = 0; begin < nodes.size();) {
      const std::size_t count = 1 + rng.below(nodes.size() - begin);
      const Status done =
          run_group(given.model, std::span(nodes).subspan(begin, count), layouts, given.values);
      ASSERT_TRUE(done.ok()) << "seed " << seed << ": " << done.rejection().message();
      begin += count;
    }
    given.expect_results(seed);
  }
}

TEST(LowerPropTest, WholeModelsAreOneProgram) {
  for (std::uint64_t seed = 1001; seed <= 1150; ++seed) {
    Given given(seed);
    Rng rng(seed);
    const Layouts layouts = rng.chance(0.5) ? random_layouts(given.model, rng) : Layouts{};
    const std::vector<model::NodeId> nodes = computing_nodes(given.model);
    if (nodes.empty()) continue;
    const Status done = run_group(given.model, nodes, layouts, given.values);
    ASSERT_TRUE(done.ok()) << "seed " << seed << ": " << done.rejection().message();
    given.expect_results(seed);
  }
}

}  // namespace
}  // namespace cambium::lower

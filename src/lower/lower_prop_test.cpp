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

// Windows over random images: every pad, stride, dilation and size that makes a result.
struct Window {
  model::Ints kernel, strides, pads, dilations;
};

Window random_window(Rng& rng, std::size_t axes) {
  Window window;
  for (std::size_t i = 0; i < axes; ++i) {
    window.kernel.push_back(rng.between(1, 4));
    window.strides.push_back(rng.between(1, 3));
    window.dilations.push_back(rng.chance(0.3) ? rng.between(2, 3) : 1);
  }
  for (std::size_t i = 0; i < 2 * axes; ++i) window.pads.push_back(rng.between(0, 3));
  return window;
}

model::Ints image(Rng& rng, std::int64_t channels, std::size_t axes) {
  model::Ints dims{rng.between(1, 2), channels};
  for (std::size_t i = 0; i < axes; ++i) dims.push_back(rng.between(1, 7));
  return dims;
}

model::Ints filter(std::int64_t first, std::int64_t second, const model::Ints& kernel) {
  model::Ints dims{first, second};
  dims.insert(dims.end(), kernel.begin(), kernel.end());
  return dims;
}

OperatorCase random_case(Rng& rng) {
  const std::size_t axes = 1 + rng.below(3);
  const Window w = random_window(rng, axes);
  const std::int64_t groups = rng.between(1, 3), in = rng.between(1, 2), out = rng.between(1, 2);
  const auto x = random_tensor(DType::F32, image(rng, groups * in, axes), 1);
  const auto with_bias = [&](OperatorCase made) {
    if (rng.chance(0.5)) made.inputs.push_back(random_tensor(DType::F32, {groups * out}, 3));
    return made;
  };
  switch (rng.below(3)) {
    case 0:
      return with_bias({"conv",
                        model::Conv{w.strides, w.pads, w.dilations, groups},
                        {x, random_tensor(DType::F32, filter(groups * out, in, w.kernel), 2)},
                        1});
    case 1: {
      model::Ints more;
      for (std::size_t i = 0; i < axes; ++i) more.push_back(rng.between(0, 2));
      return with_bias({"transposed",
                        model::ConvTranspose{w.strides, w.pads, w.dilations, more, groups},
                        {x, random_tensor(DType::F32, filter(groups * in, out, w.kernel), 2)},
                        1});
    }
    default: {
      model::Pool pool{rng.chance(0.5) ? model::PoolFn::Max : model::PoolFn::Average, w.kernel,
                       w.strides, w.pads, w.dilations};
      pool.ceil_mode = rng.chance(0.5);
      pool.count_include_pad = rng.chance(0.5);
      pool.with_indices = pool.fn == model::PoolFn::Max && rng.chance(0.5);
      pool.column_major_indices = rng.chance(0.5);
      return {"pool", pool, {x}};
    }
  }
}

TEST(LowerPropTest, WindowsOfEveryShapeComputeWhatTheReferenceDoes) {
  int computed = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    Rng rng(seed);
    const OperatorCase given = random_case(rng);
    const auto expected = model::execute(given.op, given.inputs);
    if (!expected.ok()) continue;  // the window is larger than the image
    ++computed;
    const model::Model model = model_of(given);
    Values values{{{model.inputs()[0], 0}, given.inputs[0]}};
    const std::vector<model::NodeId> nodes = computing_nodes(model);
    const Status done = run_group(model, nodes, random_layouts(model, rng), values);
    ASSERT_TRUE(done.ok()) << given.name << " " << seed << ": " << done.rejection().message();
    for (std::uint32_t slot = 0; slot < expected->size(); ++slot) {
      ASSERT_LE(disagreement(values.at({nodes[0], slot}), expected->at(slot)), 1)
          << given.name << ", seed " << seed << ", result " << slot;
    }
  }
  EXPECT_GT(computed, 700);
}

TEST(LowerPropTest, ReshapesBetweenAnyFactorsKeepTheOrderOfElements) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Rng rng(seed);
    model::Ints primes;
    for (std::uint64_t i = 0, n = rng.below(6); i < n; ++i) primes.push_back(rng.between(1, 3));
    const auto factors = [&] {  // the same elements, under other dimensions
      model::Ints dims;
      rng.shuffle(std::span<std::int64_t>(primes));
      for (const std::int64_t prime : primes) {
        if (!dims.empty() && rng.chance(0.4)) {
          dims.back() *= prime;
        } else {
          dims.push_back(prime);
        }
      }
      return dims;
    };
    const OperatorCase given{
        "reshape", model::Reshape{factors()}, {random_tensor(DType::F32, factors(), seed)}};
    const model::Model model = model_of(given);
    Values values{{{model.inputs()[0], 0}, given.inputs[0]}};
    const std::vector<model::NodeId> nodes = computing_nodes(model);
    const Status done = run_group(model, nodes, random_layouts(model, rng), values);
    ASSERT_TRUE(done.ok()) << "seed " << seed << ": " << done.rejection().message();
    const auto expected = model::execute(given.op, given.inputs);
    ASSERT_EQ(disagreement(values.at({nodes[0], 0}), expected->at(0)), 0) << "seed " << seed;
  }
}

}  // namespace
}  // namespace cambium::lower

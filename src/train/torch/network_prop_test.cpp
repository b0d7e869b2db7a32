// The network itself, with libtorch's headers: what training changes, what it exports, and which
// gradients are computed.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "base/random.h"
#include "model/builder.h"
#include "model/fingerprint.h"
#include "model/random_model.h"
#include "model/reference/execute.h"
#include "model/zoo/zoo.h"
#include "train/initialize.h"
#include "train/torch/evaluate.h"
#include "train/torch/network.h"
#include "train/torch/network_testing.h"
#include "train/torch/tensors.h"

namespace cambium::train {
namespace {

using namespace model;  // NOLINT(google-build-using-namespace): many operators are named

Tensor random_tensor(const TensorType& type, std::uint64_t seed) {
  Rng rng(seed);
  if (type.dtype == DType::I64) {
    std::vector<std::int64_t> elements(static_cast<std::size_t>(type.elements()));
    for (auto& element : elements) element = rng.between(0, 15);
    return Tensor::of<std::int64_t>(type.dims, elements);
  }
  std::vector<float> elements(static_cast<std::size_t>(type.elements()));
  for (float& element : elements) element = static_cast<float>(rng.normal());
  return Tensor::of<float>(type.dims, elements);
}

std::vector<Tensor> random_inputs(const Model& model, std::uint64_t seed) {
  std::vector<Tensor> inputs;
  for (const NodeId id : model.inputs()) {
    inputs.push_back(random_tensor(model.type({id, 0}), seed + inputs.size()));
  }
  return inputs;
}

void expect_close(const Tensor& have, const Tensor& want, double tolerance) {
  ASSERT_EQ(have.type(), want.type());
  const auto a = have.to_doubles(), b = want.to_doubles();
  double magnitude = 1e-30;
  for (const double element : b) magnitude = std::max(magnitude, std::fabs(element));
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_NEAR(a[i], b[i], tolerance * magnitude) << "element " << i;
  }
}

TEST(Network, ComputesRandomModelsAsTheReferenceDoes) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const Model model = random_model(seed);
    const std::vector<Tensor> inputs = random_inputs(model, seed);
    const auto want = execute(model, inputs);
    ASSERT_TRUE(want.ok());
    const auto have = run_network(model, inputs);
    ASSERT_TRUE(have.ok()) << have.rejection().message();
    for (std::size_t i = 0; i < want->size(); ++i) {
      expect_close(have->outputs[i], (*want)[i], 1e-4);
    }
  }
}

// What libraries are slow at: few channels of many samples, and windows side by side over one of
// three axes.
TEST(Network, ConvolvesInAnotherFormAsTheReferenceDoes) {
  struct Case {
    Ints image, window;
    Conv op;
  };
  const std::vector<Case> cases = {
      {{24, 1, 7}, {1, 1, 3}, {{1}, {1, 1}, {1}, 1}},
      {{12, 2, 6, 5}, {4, 2, 3, 1}, {{1, 2}, {1, 0, 2, 0}, {1, 1}, 1}},
      {{7, 4, 5, 5}, {3, 4, 3, 3}, {{1, 1}, {1, 1, 1, 1}, {1, 1}, 1}},
      {{3, 1, 8, 5, 6}, {4, 1, 4, 3, 1}, {{4, 1, 1}, {0, 0, 1, 0, 0, 1}, {1, 1, 1}, 1}},
      {{2, 6, 3, 4, 9}, {5, 6, 3, 1, 3}, {{1, 1, 3}, {1, 0, 0, 1, 0, 0}, {1, 1, 1}, 1}},
      {{2, 3, 4, 6, 5}, {8, 3, 2, 2, 2}, {{2, 2, 1}, {0, 0, 0, 0, 0, 0}, {1, 1, 1}, 1}},
  };
  for (const Case& one : cases) {
    for (const bool biased : {false, true}) {
      Builder b("conv");
      std::vector<Value> inputs = {b.input("x", {DType::F32, one.image}),
                                   b.weight("w", random_tensor({DType::F32, one.window}, 4))};
      if (biased) {
        inputs.push_back(b.weight("b", random_tensor({DType::F32, {one.window[0]}}, 5)));
      }
      b.output("y", b.add(one.op, inputs));
      const Model model = std::move(b).finish().value();
      const std::vector<Tensor> given = random_inputs(model, 3);
      const auto want = execute(model, given);
      ASSERT_TRUE(want.ok());
      for (const bool channels_last : {false, true}) {
        RunOptions options;
        options.channels_last = channels_last;
        const auto have = run_network(model, given, options);
        ASSERT_TRUE(have.ok()) << have.rejection().message();
        expect_close(have->outputs[0], (*want)[0], 1e-5);
      }
    }
  }
}

// Groups with zeros between them and means over windows as convolutions.
TEST(Network, ComputesInTheFormsOfGpusAsTheReferenceDoes) {
  const auto mean = [](Ints kernel, Ints strides, Ints pads, bool counts_pads) {
    return Pool{PoolFn::Average, std::move(kernel), std::move(strides), std::move(pads), {1, 1},
                false,           counts_pads};
  };
  std::vector<Model> models;
  for (const Pool& pool :
       {mean({1, 3}, {1, 1}, {0, 1, 0, 1}, true), mean({3, 3}, {1, 1}, {1, 1, 1, 1}, true),
        mean({2, 1}, {1, 1}, {0, 0, 0, 0}, false), mean({3, 1}, {1, 1}, {2, 0, 0, 0}, true),
        mean({3, 3}, {1, 1}, {1, 1, 1, 1}, false), mean({2, 2}, {2, 2}, {0, 0, 0, 0}, true)}) {
    Builder b("mean");
    b.output("y", b.add(pool, {b.input("x", {DType::F32, {2, 6, 6, 8}})}));
    models.push_back(std::move(b).finish().value());
  }
  for (const Ints& window : {Ints{6, 1, 1, 3}, Ints{12, 1, 3, 1}, Ints{6, 3, 3, 3}}) {
    Builder b("groups");
    const Conv conv{{1, 1},
                    {window[2] / 2, window[3] / 2, window[2] / 2, window[3] / 2},
                    {1, 1},
                    6 / window[1]};
    b.output("y", b.add(conv, {b.input("x", {DType::F32, {2, 6, 6, 8}}),
                               b.weight("w", random_tensor({DType::F32, window}, 4))}));
    models.push_back(std::move(b).finish().value());
  }
  for (const Model& model : models) {
    const std::vector<Tensor> given = random_inputs(model, 3);
    const auto want = execute(model, given);
    ASSERT_TRUE(want.ok());
    RunOptions options;
    options.dense_groups = true;
    const auto have = run_network(model, given, options);
    ASSERT_TRUE(have.ok()) << have.rejection().message();
    expect_close(have->outputs[0], (*want)[0], 1e-5);
  }
}

Model zoo_model(const char* name, std::int64_t batch) {
  zoo::ZooOptions options;
  options.batch = batch;
  options.classes = 16;
  options.width_divisor = 4;
  const std::string_view text(name);
  if (text.find("gpt") != std::string_view::npos) {
    options.length = 12;
    options.width_divisor = 1;
  } else if (text != "tiny-resnet") {
    options.image = 32;
  }
  auto model = zoo::build(name, options);
  EXPECT_TRUE(model.ok()) << model.rejection().message();
  return std::move(model).value();
}

// A graph for one batch size runs with another as the graph for that size does.
class ZooNetwork : public testing::TestWithParam<const char*> {};

TEST_P(ZooNetwork, EqualsTheReferenceAtEveryBatch) {
  const Model one = zoo_model(GetParam(), 1);
  for (const std::int64_t batch : {1, 3}) {
    const Model own = zoo_model(GetParam(), batch);
    const std::vector<Tensor> inputs = random_inputs(own, 9);
    const auto want = execute(own, inputs);
    ASSERT_TRUE(want.ok()) << want.rejection().message();
    for (const bool channels_last : {false, true}) {
      RunOptions options;
      options.channels_last = channels_last;
      const auto have = run_network(one, inputs, options);
      ASSERT_TRUE(have.ok()) << have.rejection().message();
      expect_close(have->outputs[0], want->at(0), 1e-4);
    }
    if (batch == 1) continue;
    const auto narrow = run_network(own, random_inputs(one, 9));
    ASSERT_TRUE(narrow.ok()) << narrow.rejection().message();
    expect_close(narrow->outputs[0], execute(one, random_inputs(one, 9))->at(0), 1e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(Small, ZooNetwork,
                         testing::Values("tiny-resnet", "tiny-gpt", "mobilenet-v2"));

// libtorch has no bf16 kernels for some operators on a CPU; networks must not meet one.
class ZooNetworkInBf16 : public testing::TestWithParam<const char*> {};

TEST_P(ZooNetworkInBf16, RunsForwardAndBackward) {
  const Model model = initialized(zoo_model(GetParam(), 2), {});
  NetworkOptions options;
  options.channels_last = true;
  Network network = Network::make(model, options).value();
  const torch::Tensor input = to_torch(random_inputs(model, 9)[0], {});
  torch::Tensor scores;
  {
    const Autocast autocast(Precision::BF16, {});
    scores = network.forward({input}, Network::Mode::Training)[0].to(torch::kFloat);
  }
  scores.square().sum().backward();
  for (const Parameter& parameter : network.parameters()) {
    ASSERT_TRUE(parameter.tensor.grad().defined()) << parameter.name;
    EXPECT_TRUE(parameter.tensor.grad().isfinite().all().item<bool>()) << parameter.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Small, ZooNetworkInBf16,
                         testing::Values("tiny-resnet", "tiny-gpt", "mobilenet-v2", "mnasnet-1.0",
                                         "efficientnet-b0", "densenet121", "vit-s16"));

TEST(Network, RefusesAnotherBatchWhereSamplesAreMixed) {
  Builder b("mixes");
  const Value x = b.input("x", {DType::F32, {2, 3}});
  b.output("y", b.add(Softmax{0}, {x}));
  const Model model = std::move(b).finish().value();
  const Network network = Network::make(model, {}).value();
  EXPECT_TRUE(network.takes_batch(2).ok());
  const Status other = network.takes_batch(4);
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.rejection().reason(), Reason::ShapeMismatch);
}

TEST(Network, RefusesWhatLibtorchHasNot) {
  Builder b("wide");
  const Value x = b.input("x", {DType::U32, {2}});
  b.output("y", b.add(Reshape{{1, 2}}, {x}));
  const auto wide = Network::make(std::move(b).finish().value(), {});
  ASSERT_FALSE(wide.ok());
  EXPECT_EQ(wide.rejection().reason(), Reason::UnsupportedType);
  Builder d("deep");
  const Value v = d.input("x", {DType::F32, {1, 1, 2, 2, 2, 2}});
  const Value w = d.weight("w", Tensor::lazy({DType::F32, {1, 1, 1, 1, 1, 1}}, {}));
  d.output("y", d.add(Conv{Ints(4, 1), Ints(8, 0), Ints(4, 1), 1}, {v, w}));
  const auto deep = Network::make(std::move(d).finish().value(), {});
  ASSERT_FALSE(deep.ok());
  EXPECT_EQ(deep.rejection().reason(), Reason::UnsupportedOperator);
}

TEST(Network, ExportsWhatItWasMadeOf) {
  for (const char* name : {"tiny-resnet", "tiny-gpt"}) {
    const Model model = initialized(zoo_model(name, 2), {});
    NetworkOptions options;
    options.channels_last = true;
    const Network network = Network::make(model, options).value();
    const Model back = network.trained();
    EXPECT_EQ(content_of(back), content_of(model)) << name;
    for (const NodePtr& node : model.nodes()) {
      EXPECT_EQ(back.node(node->id).name, node->name);
    }
  }
}

// x[2, 1, 1, 2] -> batch norm
Model norm_model() {
  Builder b("norm");
  const Value x = b.input("x", {DType::F32, {2, 1, 1, 2}});
  const auto one = [&](const char* name, float value) {
    return b.weight(name, Tensor::of<float>({1}, {value}));
  };
  b.output("y", b.add(BatchNorm{0},
                      {x, one("scale", 3), one("bias", 1), one("mean", 10), one("variance", 4)}));
  return std::move(b).finish().value();
}

TEST(Network, BatchNormUsesTheBatchAndUpdatesRunningStatistics) {
  // Elements 1, 3, 5, 7: mean 4, variance 5; the running one takes 20 / 3, the unbiased variance.
  const std::vector<Tensor> inputs{Tensor::of<float>({2, 1, 1, 2}, {1, 3, 5, 7})};
  RunOptions options;
  options.training = true;
  const auto ran = run_network(norm_model(), inputs, options);
  ASSERT_TRUE(ran.ok());
  const double unit = 3 / std::sqrt(5.0);
  const auto elements = ran->outputs[0].to_doubles();
  EXPECT_NEAR(elements[0], 1 - 3 * unit, 1e-5);
  EXPECT_NEAR(elements[3], 1 + 3 * unit, 1e-5);
  std::map<std::string, double> after;
  for (const NodePtr& node : ran->trained.nodes()) {
    if (const Weight* weight = node->as<Weight>())
      after[node->name] = weight->value.to_doubles()[0];
  }
  EXPECT_NEAR(after["mean"], 0.9 * 10 + 0.1 * 4, 1e-5);
  EXPECT_NEAR(after["variance"], 0.9 * 4 + 0.1 * 20 / 3, 1e-5);
  EXPECT_EQ(after["scale"], 3);
  // Inference reads them and changes nothing.
  const auto judged = run_network(norm_model(), inputs);
  EXPECT_NEAR(judged->outputs[0].to_doubles()[0], (1 - 10) / 2.0 * 3 + 1, 1e-5);
  EXPECT_EQ(content_of(judged->trained), content_of(norm_model()));
}

// In training a sample is also felt through the statistics of the batch.
TEST(Network, BatchNormInTrainingHasTheGradientThatDifferencesShow) {
  Builder b("norm");
  const Value x = b.input("x", {DType::F64, {3, 2, 2}});
  const auto two = [&](const char* name, double first, double second) {
    return b.weight(name, Tensor::of<double>({2}, {first, second}));
  };
  b.output("y", b.add(BatchNorm{0.1}, {x, two("scale", 2, -1), two("bias", 0, 1), two("mean", 3, 4),
                                       two("variance", 5, 6)}));
  const Model model = std::move(b).finish().value();
  Rng rng(8);
  std::vector<double> elements(12), factors(12);
  for (std::size_t i = 0; i < 12; ++i) {
    elements[i] = rng.normal();
    factors[i] = rng.normal();
  }
  RunOptions options;
  options.training = true;
  const auto sum_at = [&](std::size_t at, double by) {
    std::vector<double> moved = elements;
    moved[at] += by;
    const std::vector<Tensor> inputs{Tensor::of<double>({3, 2, 2}, moved)};
    const auto y = run_network(model, inputs, options)->outputs[0].to_doubles();
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += y[i] * factors[i];
    return sum;
  };
  const std::vector<Tensor> inputs{Tensor::of<double>({3, 2, 2}, elements)};
  const std::vector<Tensor> weights{Tensor::of<double>({3, 2, 2}, factors)};
  const auto have = input_gradients(model, inputs, weights, true).value()[0].to_doubles();
  constexpr double kStep = 1e-5;
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_NEAR(have[i], (sum_at(i, kStep) - sum_at(i, -kStep)) / (2 * kStep), 1e-7) << i;
  }
}

TEST(Network, KnowsWhatIsTrainedAndWhatDecays) {
  Network network = Network::make(zoo_model("tiny-resnet", 1), {}).value();
  EXPECT_FALSE(network.parameters().empty());
  EXPECT_FALSE(network.statistics().empty());
  for (const Parameter& parameter : network.parameters()) {
    EXPECT_TRUE(parameter.tensor.requires_grad() && parameter.tensor.is_leaf()) << parameter.name;
    EXPECT_EQ(parameter.decays, parameter.tensor.dim() > 1) << parameter.name;
  }
  for (const Parameter& statistic : network.statistics()) {
    EXPECT_FALSE(statistic.tensor.requires_grad()) << statistic.name;
  }
}

TEST(Network, DecaysNoScaleOfANormWhateverItsRank) {
  Builder b("norm over two axes");
  const Value x = b.input("x", {DType::F32, {2, 3, 4}});
  const auto weight = [&](const char* name, Ints dims) {
    return b.weight(name, Tensor::lazy({DType::F32, std::move(dims)}, {}));
  };
  const Value y = b.add(LayerNorm{1, 1e-5}, {x, weight("scale", {3, 4}), weight("bias", {3, 4})});
  b.output("y", b.add(MatMul{}, {y, weight("matrix", {4, 5})}));
  Network network = Network::make(std::move(b).finish().value(), {}).value();
  ASSERT_EQ(network.parameters().size(), 3u);
  for (const Parameter& parameter : network.parameters()) {
    EXPECT_EQ(parameter.decays, parameter.name == "matrix") << parameter.name;
  }
}

TEST(Network, ConvolvesInBf16WhenAskedTo) {
  for (const std::size_t spatial : {1u, 2u, 3u}) {
    Builder b("conv");
    Ints image(spatial + 2, 5), window(spatial + 2, 3);
    image[0] = image[1] = window[0] = window[1] = 2;
    const Value x = b.input("x", {DType::F32, image});
    const Value w = b.weight("w", random_tensor({DType::F32, window}, 4));
    b.output("y", b.add(Conv{Ints(spatial, 1), Ints(2 * spatial, 1), Ints(spatial, 1), 1}, {x, w}));
    Network network = Network::make(std::move(b).finish().value(), {}).value();
    const torch::Tensor input = to_torch(random_tensor({DType::F32, image}, 3), {});
    const torch::Tensor exact = network.forward({input}, Network::Mode::Training)[0];
    const Autocast autocast(Precision::BF16, {});
    const torch::Tensor rounded = network.forward({input}, Network::Mode::Training)[0];
    EXPECT_EQ(rounded.scalar_type(), torch::kBFloat16) << spatial;
    EXPECT_TRUE(torch::allclose(rounded.to(torch::kFloat), exact, 0.05, 0.1)) << spatial;
    rounded.sum().backward();
    EXPECT_EQ(network.parameters()[0].tensor.grad().scalar_type(), torch::kFloat);
  }
}

// What Fisher Potential relies on: with parameters that ask for none, a convolution's backward step
// has no edge to its weight, so it computes no gradient of it; and it does not go below the first
// value that is watched.
TEST(Network, ComputesNoGradientOfWeightsThatAskForNone) {
  zoo::ZooOptions options;  // few channels would be convolved in another form
  options.batch = 2;
  const Model model = zoo::build("tiny-resnet", options).value();
  Watched watched;
  for (const NodePtr& node : model.nodes()) {
    if (node->as<Conv>() != nullptr) watched.emplace(Value{node->id, 0}, torch::Tensor());
  }
  for (const bool asks : {false, true}) {
    Network network = Network::make(model, {}).value();
    for (Parameter& parameter : network.parameters()) parameter.tensor.requires_grad_(asks);
    const auto inputs = random_inputs(model, 3);
    network.forward({to_torch(inputs[0], {})}, Network::Mode::Training, &watched);
    int leaves = 0;
    for (const auto& [value, tensor] : watched) {
      ASSERT_TRUE(tensor.requires_grad());
      if (tensor.is_leaf()) {
        ++leaves;
        continue;
      }
      EXPECT_EQ(tensor.grad_fn()->next_edge(1).is_valid(), asks) << tensor.grad_fn()->name();
    }
    EXPECT_EQ(leaves, asks ? 0 : 1);
  }
}

}  // namespace
}  // namespace cambium::train

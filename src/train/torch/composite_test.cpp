// Composites in training: what they compute, their gradients, their weights and statistics.
#include "model/composite.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "base/random.h"
#include "model/cost.h"
#include "model/fingerprint.h"
#include "model/reference/execute.h"
#include "model/zoo/composites.h"
#include "train/proxies.h"
#include "train/torch/network_testing.h"

namespace cambium::train {
namespace {

using namespace model;  // NOLINT(google-build-using-namespace): many operators are named

Tensor drawn(const TensorType& type, std::uint64_t seed) {
  return Tensor::lazy(type, {Fill::Law::Normal, 1, seed});
}

void expect_close(const Tensor& have, const Tensor& want) {
  ASSERT_EQ(have.type(), want.type());
  const auto a = have.to_doubles(), b = want.to_doubles();
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-4) << i;
}

const zoo::ConvPlace kPlace{.batch = 2, .in = 16, .out = 16, .side = 4};

class KnownNetwork : public testing::TestWithParam<std::string_view> {};

std::vector<std::string_view> known_names() {
  std::vector<std::string_view> names;
  for (const zoo::KnownComposite& known : zoo::known_composites()) names.push_back(known.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Composites, KnownNetwork, testing::ValuesIn(known_names()),
                         [](const auto& test) {
                           std::string name(test.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(KnownNetwork, EqualsTheReferenceAtEveryBatch) {
  const auto at_batch = [&](std::int64_t batch) {
    zoo::ConvPlace place = kPlace;
    place.batch = batch;
    return zoo::model_around(zoo::known_composite(GetParam(), place).value());
  };
  for (const auto& [graph, batch] : {std::pair{1, 1}, {1, 3}, {2, 2}, {2, 3}, {3, 1}}) {
    const Model model = at_batch(graph), own = at_batch(batch);
    const std::vector<Tensor> inputs{drawn(own.type({own.inputs()[0], 0}), 3)};
    const auto want = execute(own, inputs);
    for (const bool channels_last : {false, true}) {
      RunOptions options;
      options.channels_last = channels_last;
      const auto have = run_network(model, inputs, options);
      ASSERT_TRUE(have.ok()) << have.rejection().message();
      expect_close(have->outputs[0], want->at(0));
      EXPECT_EQ(content_of(have->trained), content_of(model)) << "the composite is still one";
    }
  }
}

// All of them are linear in each single element of each operand, so that differences over any step
// are the derivative.
TEST_P(KnownNetwork, HasTheGradientsThatDifferencesShow) {
  const Composite composite = zoo::known_composite(GetParam(), kPlace).value();
  Builder b("all inputs");
  std::vector<Value> values;
  std::vector<Tensor> inputs;
  for (const NodeId id : composite.body->inputs()) {
    const TensorType& type = composite.body->node(id).outputs[0];
    inputs.push_back(drawn(type, 5 + inputs.size()));
    values.push_back(b.input("x", type));
  }
  b.output("y", b.add(composite, values));
  const Model model = std::move(b).finish().value();
  const std::vector<Tensor> factors{drawn(model.type(model.outputs()[0].value), 4)};
  const auto sum = [&](std::span<const Tensor> given) {
    const auto y = execute(model, given)->at(0).to_doubles(), f = factors[0].to_doubles();
    double total = 0;
    for (std::size_t i = 0; i < y.size(); ++i) total += y[i] * f[i];
    return total;
  };
  const auto gradients = input_gradients(model, inputs, factors);
  ASSERT_TRUE(gradients.ok()) << gradients.rejection().message();
  Rng rng(6);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto have = (*gradients)[i].to_doubles();
    for (int tries = 0; tries < 5; ++tries) {
      const auto at = static_cast<std::size_t>(rng.below(have.size()));
      const auto moved = [&](float by) {
        std::vector<float> elements(inputs[i].as<float>().begin(), inputs[i].as<float>().end());
        elements[at] += by;
        std::vector<Tensor> given = inputs;
        given[i] = Tensor::of<float>(inputs[i].dims(), elements);
        return sum(given);
      };
      EXPECT_NEAR(have[at], (moved(1) - moved(-1)) / 2, 1e-3 + 1e-3 * std::fabs(have[at]))
          << "operand " << i << ", element " << at;
    }
  }
}

// conv -> batch norm -> relu, the first two in a composite or not; all eight operands are nodes of
// the model in either case.
Model normalized(bool composite) {
  const auto type = [](Ints dims) { return TensorType{DType::F32, std::move(dims)}; };
  const TensorType types[] = {type({2, 3, 4, 4}), type({5, 3, 3, 3}), type({5}),
                              type({5}),          type({5}),          type({5})};
  const char* names[] = {"x", "w", "scale", "bias", "mean", "variance"};
  const auto body = [](Builder& b, std::span<const Value> v) {
    const Value y = b.add(Conv{{1, 1}, {1, 1, 1, 1}, {1, 1}, 1}, {v[0], v[1]});
    return b.add(BatchNorm{}, {y, v[2], v[3], v[4], v[5]});
  };
  Builder inside("body"), b("model");
  std::vector<Value> inner, outer;
  for (std::size_t i = 0; i < std::size(types); ++i) {
    inner.push_back(inside.input(names[i], types[i]));
    outer.push_back(i == 0 ? b.input("x", types[i]) : b.weight(names[i], drawn(types[i], i)));
  }
  inside.output("y", body(inside, inner));
  const Model held = std::move(inside).finish().value();
  const Value y =
      composite ? b.add(composite_of("test", "", held).value(), outer, "place") : body(b, outer);
  const Value flat = b.add(Reshape{{2, 80}}, {b.add(Unary{UnaryFn::Tanh}, {y})});
  const Value scores = b.weight("scores", drawn(type({80, 4}), 9));
  b.output("y", b.add(MatMul{}, {flat, scores}));
  return std::move(b).finish().value();
}

TEST(CompositeNetwork, UpdatesTheStatisticsThatItsBodyReads) {
  const Model plain = normalized(false), held = normalized(true);
  const std::vector<Tensor> inputs{drawn({DType::F32, {2, 3, 4, 4}}, 3)};
  RunOptions options;
  options.training = true;
  options.times = 2;
  const auto a = run_network(plain, inputs, options), b = run_network(held, inputs, options);
  ASSERT_TRUE(a.ok() && b.ok());
  expect_close(b->outputs[0], a->outputs[0]);
  int compared = 0;
  for (const NodePtr& node : held.nodes()) {
    if (node->as<Weight>() == nullptr) continue;
    for (const NodePtr& other : plain.nodes()) {
      if (other->name != node->name) continue;
      expect_close(*b->trained.weight({node->id, 0}), *a->trained.weight({other->id, 0}));
      ++compared;
    }
  }
  EXPECT_EQ(compared, 6);
  EXPECT_NE(content_of(b->trained), content_of(held)) << "running statistics moved";
}

TEST(CompositeNetwork, ScoresAsTheConvolutionThatItStandsFor) {
  ProxyBatch batch;
  batch.inputs = drawn({DType::F32, {2, 3, 4, 4}}, 3);
  batch.labels = {1, 3};
  FisherOptions options;
  options.hooks = Hooks::Activations;
  const auto plain = fisher_potential(normalized(false), batch, options);
  const auto held = fisher_potential(normalized(true), batch, options);
  ASSERT_TRUE(plain.ok() && held.ok());
  ASSERT_EQ(held->layers.size(), 1u);
  EXPECT_GT(plain->total, 0);
  EXPECT_NEAR(held->total, plain->total, 1e-5 * plain->total);
  options.hooks = Hooks::Convolutions;
  const auto place = fisher_potential(normalized(true), batch, options);
  ASSERT_EQ(place->layers.size(), 1u);
  EXPECT_EQ(place->layers[0].name, "place");
}

}  // namespace
}  // namespace cambium::train

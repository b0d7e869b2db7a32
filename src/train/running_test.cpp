#include "train/running.h"

#include <gtest/gtest.h>

#include "model/composite.h"
#include "model/cost.h"
#include "model/reference/execute.h"
#include "model/zoo/composites.h"
#include "model/zoo/zoo.h"

namespace cambium::train {
namespace {

using namespace model;  // NOLINT(google-build-using-namespace): many operators are named

template <class Op>
int count_of(const Model& model) {
  int count = 0;
  for (const NodePtr& node : model.nodes()) count += node->as<Op>() != nullptr;
  return count;
}

void expect_same_output(const Model& a, const Model& b) {
  const Tensor x = Tensor::lazy(a.type({a.inputs()[0], 0}), {Fill::Law::Normal, 1, 3});
  const auto want = execute(a, {&x, 1}), have = execute(b, {&x, 1});
  ASSERT_TRUE(want.ok() && have.ok());
  const auto w = (*want)[0].to_doubles(), h = (*have)[0].to_doubles();
  ASSERT_EQ(w.size(), h.size());
  for (std::size_t i = 0; i < w.size(); ++i) ASSERT_NEAR(w[i], h[i], 1e-4) << i;
}

Model known(std::string_view name, std::int64_t batch) {
  const zoo::ConvPlace place{.batch = batch, .in = 16, .out = 16, .side = 4};
  return zoo::model_around(zoo::known_composite(name, place).value());
}

struct Provider : KernelProvider {
  bool has = true;
  std::vector<Model> asked;
  std::optional<ProvidedKernel> kernel_for(const Model& body) override {
    asked.push_back(body);
    if (!has) return std::nullopt;
    return ProvidedKernel{};
  }
};

TEST(Running, RecognizesWhatCompositesAreMadeOf) {
  for (const zoo::KnownComposite& one : zoo::known_composites()) {
    for (const std::int64_t batch : {1, 2}) {
      SCOPED_TRACE(one.name);
      const Model given = known(one.name, batch);
      const Running running = running_of(given, batch, nullptr);
      EXPECT_EQ(count_of<Composite>(running.model) + count_of<Einsum>(running.model), 0);
      EXPECT_GE(count_of<Conv>(running.model), 1);
      EXPECT_FALSE(running.axes.fixed.has_value());
      expect_same_output(given, running.model);
      // Weights are those of the given model, and all of them are still trained.
      EXPECT_EQ(parameters_of(running.model).size(), parameters_of(given).size());
      for (const NodeId id : parameters_of(given)) {
        EXPECT_EQ(&running.model.node(id), &given.node(id));
      }
      EXPECT_EQ(running.now(given.outputs()[0].value), running.model.outputs()[0].value);
    }
  }
}

TEST(Running, LeavesModelsThatAreStandardAsTheyAre) {
  const Model given = zoo::build("tiny-resnet").value();
  const Running running = running_of(given, 1, nullptr);
  ASSERT_EQ(running.model.nodes().size(), given.nodes().size());
  for (std::size_t i = 0; i < given.nodes().size(); ++i) {
    EXPECT_EQ(running.model.nodes()[i], given.nodes()[i]);
  }
  EXPECT_TRUE(running.moved.empty());
}

// With one sample, scores[h, t, s, n] look like scores[n, h, t, s]: recognized as a batched product
// of heads, samples would be taken for heads.
TEST(Running, IsNotRecognizedWhereThatLosesTheSamples) {
  Builder b("scores");
  const Value q = b.input("q", {DType::F32, {1, 3, 5, 4}});
  b.output("y", b.add(Einsum{"nhtd,nhsd->htsn"}, {q, q}));
  const Model given = std::move(b).finish().value();
  const Running running = running_of(given, 1, nullptr);
  ASSERT_FALSE(running.axes.fixed.has_value());
  EXPECT_EQ(running.axes.axis[running.model.outputs()[0].value.node.index], 3);
}

// Sums over parts of the channels look, for one sample, like sums over a batch.
TEST(Running, KeepsTheSamplesOfAGraphForOneApart) {
  Builder b("sums");
  const Value x = b.input("x", {DType::F32, {1, 8, 5, 5}});
  const Value w = b.weight("w", Tensor::lazy({DType::F32, {6, 2}}, {Fill::Law::Normal, 1, 5}));
  const Value parts = b.add(Reshape{{1, 4, 2, 5, 5}}, {x});
  b.output("y", b.add(Einsum{"nachw,oc->nohw"}, {parts, w}));
  const Model given = std::move(b).finish().value();
  const Running running = running_of(given, 1, nullptr);
  ASSERT_FALSE(running.axes.fixed.has_value());
  EXPECT_EQ(count_of<Einsum>(running.model), 0);
  expect_same_output(given, running.model);
}

TEST(Running, LeavesCompositesToTheKernelsThatThereAre) {
  const Model given = known("syno-1", 2);
  Provider provider;
  const Running running = running_of(given, 2, &provider);
  EXPECT_EQ(count_of<Composite>(running.model), 1);
  EXPECT_EQ(running.kernels.size(), 1u);
  provider.has = false;
  const Running without = running_of(given, 2, &provider);
  EXPECT_EQ(count_of<Composite>(without.model), 0);
  EXPECT_TRUE(without.kernels.empty());
}

TEST(Running, AsksForTheBodyAtTheBatchAtHand) {
  for (const zoo::KnownComposite& one : zoo::known_composites()) {
    SCOPED_TRACE(one.name);
    const Model given = known(one.name, 2);
    Provider provider;
    EXPECT_EQ(running_of(given, 5, &provider).kernels.size(), 1u);
    ASSERT_EQ(provider.asked.size(), 1u);
    const Model five = known(one.name, 5);
    const auto* wanted = five.node(five.outputs()[0].value.node).as<Composite>();
    const Model& body = provider.asked[0];
    ASSERT_EQ(body.inputs().size(), wanted->body->inputs().size());
    for (std::size_t i = 0; i < body.inputs().size(); ++i) {
      EXPECT_EQ(body.type({body.inputs()[i], 0}),
                wanted->body->type({wanted->body->inputs()[i], 0}));
    }
    EXPECT_EQ(body.type(body.outputs()[0].value),
              wanted->body->type(wanted->body->outputs()[0].value));
    // It computes the same, sample by sample.
    expect_same_output(five,
                       zoo::model_around(composite_of("test", one.name.data(), body).value()));
  }
}

TEST(Running, DoesNotAskForWhatKernelsCannotDo) {
  Builder body("body"), b("model");
  std::vector<Value> inner, outer;
  for (const char* name : {"x", "scale", "bias", "mean", "variance"}) {
    const TensorType type{DType::F32, inner.empty() ? Ints{2, 3} : Ints{3}};
    inner.push_back(body.input(name, type));
    outer.push_back(outer.empty() ? b.input(name, type) : b.weight(name, Tensor::lazy(type, {})));
  }
  body.output("y", body.add(BatchNorm{}, inner));
  b.output("y", b.add(composite_of("test", "", std::move(body).finish().value()).value(), outer));
  Builder wide_body("body"), wide("wide");
  const TensorType doubles{DType::F64, {2, 3}};
  wide_body.output("y", wide_body.add(Unary{}, {wide_body.input("x", doubles)}));
  wide.output("y", wide.add(composite_of("test", "", std::move(wide_body).finish().value()).value(),
                            {wide.input("x", doubles)}));
  Provider provider;
  EXPECT_TRUE(running_of(std::move(b).finish().value(), 2, &provider).kernels.empty());
  EXPECT_TRUE(running_of(std::move(wide).finish().value(), 2, &provider).kernels.empty());
  EXPECT_TRUE(provider.asked.empty());
}

}  // namespace
}  // namespace cambium::train

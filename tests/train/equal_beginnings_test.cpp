// An edit that computes what the original does begins with the original's weights: so it has the
// original's score by every measure without training, and trains as the original does.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "model/builder.h"
#include "model/reference/execute.h"
#include "model/zoo/zoo.h"
#include "spaces/coordinate/known.h"
#include "spaces/coordinate/search/space.h"
#include "train/initialize.h"
#include "train/proxies.h"

namespace cambium::tests {
namespace {

using model::Model;
using model::Tensor;
using model::Value;
using spaces::coordinate::CoordinateSpace;

// The operator, a name or a document, at all places that the selector finds.
Model edited(const Model& base, std::string_view selector, const std::string& written) {
  const auto space = CoordinateSpace::make(base, model::select(base, selector).value()).value();
  const auto edits = space->reads()->edits_of(written);
  if (!edits.ok()) {
    ADD_FAILURE() << edits.rejection().message();
    return base;
  }
  Model made = base;
  for (const spaces::Edit& edit : *edits) made = space->apply(made, edit).value();
  return made;
}

Model fresh(const Model& model, std::uint64_t seed = 1) {
  train::InitializeOptions options;
  options.seed = seed;
  return train::initialized(model, options);
}

model::Ints input_dims(const Model& model) {
  return model.type({model.inputs()[0], 0}).dims;
}

std::vector<double> outputs(const Model& model) {
  const Tensor x = Tensor::lazy({DType::F32, input_dims(model)}, {model::Fill::Law::Normal, 1, 7});
  return model::execute(model, {&x, 1}).value().at(0).to_doubles();
}

std::vector<train::ProxyBatch> batches_for(const Model& model) {
  model::Ints dims = input_dims(model);
  dims[0] = 4;
  std::vector<train::ProxyBatch> batches;
  for (const std::uint64_t seed : {3u, 4u}) {
    batches.push_back(
        {Tensor::lazy({DType::F32, dims}, {model::Fill::Law::Normal, 1, seed}), {0, 1, 2, 3}});
  }
  return batches;
}

void expect_same_beginning(const Model& base, const Model& made) {
  const std::vector<double> expected = outputs(fresh(base)), actual = outputs(fresh(made));
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) ASSERT_NEAR(actual[i], expected[i], 1e-4) << i;
}

void expect_same_scores(const Model& base, const Model& made) {
  const auto batches = batches_for(base);
  for (const train::Proxy& proxy : train::proxies()) {
    const auto score = [&](const Model& of, std::uint64_t seed) {
      const auto value = proxy.score(fresh(of, seed), batches, {});
      EXPECT_TRUE(value.ok()) << proxy.name << ": " << value.rejection().message();
      return value.value();
    };
    for (const std::uint64_t seed : {1u, 2u}) {
      const double expected = score(base, seed);
      EXPECT_NEAR(score(made, seed), expected, 2e-3 * std::fabs(expected)) << proxy.name;
    }
    EXPECT_NE(score(made, 1), score(made, 2)) << proxy.name << ": another seed, other weights";
  }
}

Model resnet() {
  return model::zoo::build("tiny-resnet", {.image = 16}).value();
}

TEST(EqualBeginnings, AConvolutionInItsOwnPlaceScoresAsTheOriginal) {
  const Model base = resnet();
  const Model made = edited(base, "conv:k=3,stride=1", "conv2d");
  expect_same_beginning(base, made);
  expect_same_scores(base, made);
}

TEST(EqualBeginnings, HoweverTheWeightOfTheOperatorLies) {
  const Model base = resnet();
  for (const char* axes : {"a, b, i, o", "i, b, o, a", "b, o, i, a"}) {
    SCOPED_TRACE(axes);
    const Model made = edited(base, "conv:k=3,stride=1",
                              "let k=3\n"
                              "operator [N, Ci, H, W] -> [N, Co, H, W]\n"
                              "out   n, o, h, w\n"
                              "sum   i: Ci, a: k, b: k\n"
                              "x     n, i, unfold(h, a), unfold(w, b)\n"
                              "w1    " +
                                  std::string(axes) + "\n");
    expect_same_beginning(base, made);
  }
}

TEST(EqualBeginnings, LayersThatNoEditTouchesKeepTheirs) {
  const Model base = resnet();
  const Model made = fresh(edited(base, "conv:name=layer2*,k=3", "grouped_conv2d g=4"));
  const Model original = fresh(base);
  int kept = 0;
  for (const model::NodePtr& node : original.nodes()) {
    const auto* weight = node->as<model::Weight>();
    if (weight == nullptr || node->name.find("layer2") == 0) continue;
    ++kept;
    ASSERT_TRUE(made.contains(node->id)) << node->name;
    EXPECT_EQ(made.weight({node->id, 0})->fingerprint(), weight->value.fingerprint()) << node->name;
  }
  EXPECT_GT(kept, 20);
}

Tensor zeros(model::Ints dims) {
  return Tensor::lazy({DType::F32, std::move(dims)}, {});
}

// Two layers, so that the first has a gradient that passes the second.
TEST(EqualBeginnings, AConvolutionOfOneAxisScoresAsTheOriginal) {
  model::Builder b("signals");
  const Value x = b.input("x", {DType::F32, {1, 8, 12}});
  const model::Conv conv{{1}, {1, 1}, {1}, 1};
  const Value first = b.add(conv, {x, b.weight("w1", zeros({6, 8, 3}))}, "conv1");
  const Value held = b.add(model::Unary{model::UnaryFn::Relu}, {first}, "relu");
  const Value second = b.add(conv, {held, b.weight("w2", zeros({5, 6, 3}))}, "conv2");
  b.output("y", b.add(model::Reduce{model::ReduceFn::Mean, {2}, false}, {second}, "mean"));
  const Model base = std::move(b).finish().value();
  const Model made = edited(base, "conv:*", "conv1d");
  expect_same_beginning(base, made);
  expect_same_scores(base, made);
}

// It lies as an image does, and is none: Fisher Potential is of convolutions.
TEST(EqualBeginnings, ALinearLayerOfFourAxesScoresAsTheOriginal) {
  model::Builder b("rows");
  const Value x = b.input("x", {DType::F32, {1, 8, 6, 5}});
  const Value conv = b.add(model::Conv{{1, 1}, {1, 1, 1, 1}, {1, 1}, 1},
                           {x, b.weight("w1", zeros({10, 8, 3, 3}))}, "conv");
  const Value last = b.add(model::Transpose{{0, 2, 3, 1}}, {conv}, "last");
  const Value fc = b.add(model::MatMul{}, {last, b.weight("w2", zeros({10, 7}))}, "fc");
  b.output("y", b.add(model::Reduce{model::ReduceFn::Mean, {1, 2}, false}, {fc}, "mean"));
  const Model base = std::move(b).finish().value();
  const Model made = edited(base, "linear:name=fc",
                            "operator [N, B1, T, Ci] -> [N, B1, T, Co]\n"
                            "out   n, b, t, o\n"
                            "sum   i: Ci\n"
                            "x     n, b, t, i\n"
                            "w1    o, i\n");
  expect_same_beginning(base, made);
  expect_same_scores(base, made);
}

// Products that follow each other are recognized as one, which leaves nothing of what is between
// them; Fisher Potential asks for it.
TEST(EqualBeginnings, ProductsThatAreRecognizedAsOneAreScoredEachByItself) {
  model::Builder b("products");
  Value x = b.input("x", {DType::F32, {1, 16, 8, 8}});
  for (const std::string name : {"conv1", "conv2"}) {
    x = b.add(model::Conv{{1, 1}, {1, 1, 1, 1}, {1, 1}, 1},
              {x, b.weight(name + ".w", zeros({16, 16, 3, 3}))}, name);
  }
  b.output("y", b.add(model::Reduce{model::ReduceFn::Mean, {2, 3}, false}, {x}, "mean"));
  const Model base = std::move(b).finish().value();
  const Model made = fresh(edited(base, "conv:*",
                                  "let g=2, s=2\n"
                                  "operator [N, Ci, H, W] -> [N, Co, H, W]\n"
                                  "out n, co, h, w\n"
                                  "sum r1: g^2*Ci/s\n"
                                  "x   n, low(split(r1, co), Ci), h, w\n"
                                  "w1  co, high(split(r1, co), Ci)\n"));
  const auto report = train::fisher_potential(made, batches_for(base)[0]);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  ASSERT_EQ(report->layers.size(), 2u);
  for (const train::LayerScore& layer : report->layers) EXPECT_GT(layer.score, 0) << layer.name;
}

// One layer of each kind, for one sample and for several.
class OneLayer : public testing::TestWithParam<std::int64_t> {};

TEST_P(OneLayer, AGroupedConvolutionInItsOwnPlaceBeginsAsItDid) {
  for (const std::int64_t groups : {4, 16}) {
    SCOPED_TRACE(groups);
    model::Builder b("grouped");
    const Value x = b.input("x", {DType::F32, {GetParam(), 16, 6, 5}});
    const Value w = b.weight("any name", zeros({16, 16 / groups, 3, 3}));
    b.output("y", b.add(model::Conv{{1, 1}, {1, 1, 1, 1}, {1, 1}, groups}, {x, w}, "conv"));
    const Model base = std::move(b).finish().value();
    expect_same_beginning(
        base, edited(base, "conv:*", groups == 16 ? "depthwise_conv2d" : "grouped_conv2d g=4"));
  }
}

TEST_P(OneLayer, AStridedConvolutionInItsOwnPlaceBeginsAsItDid) {
  model::Builder b("strided");
  const Value x = b.input("x", {DType::F32, {GetParam(), 8, 8, 10}});
  const Value w = b.weight("w", zeros({12, 8, 3, 3}));
  b.output("y", b.add(model::Conv{{2, 2}, {1, 1, 1, 1}, {1, 1}, 1}, {x, w}, "conv"));
  const Model base = std::move(b).finish().value();
  const auto space = CoordinateSpace::make(base, model::select(base, "conv:*").value()).value();
  const std::string document(spaces::coordinate::find_known("strided_conv2d")->document);
  const auto edit = space->check(base, {"coordinate", {"conv"}, document});
  ASSERT_TRUE(edit.ok()) << edit.rejection().message();
  expect_same_beginning(base, space->apply(base, *edit).value());
}

TEST_P(OneLayer, ALinearLayerInItsOwnPlaceBeginsAsItDid) {
  for (const bool is_product : {false, true}) {
    SCOPED_TRACE(is_product);
    model::Builder b("linear");
    const Value x = b.input("x", {DType::F32, {GetParam(), 16}});
    const Value w = b.weight("w", zeros(is_product ? model::Ints{16, 12} : model::Ints{12, 16}));
    const model::Op op =
        is_product ? model::Op(model::MatMul{}) : model::Op(model::Gemm{1, 1, false, true});
    b.output("y", b.add(op, {x, w}, "fc"));
    const Model base = std::move(b).finish().value();
    expect_same_beginning(base, edited(base, "linear:*", "linear"));
  }
}

INSTANTIATE_TEST_SUITE_P(Batches, OneLayer, testing::Values(1, 2, 3));

}  // namespace
}  // namespace cambium::tests

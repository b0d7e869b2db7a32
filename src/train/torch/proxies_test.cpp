// Measures on networks that are small enough to be worked out on paper.
#include "train/proxies.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/features.h"
#include "model/builder.h"
#include "model/composite.h"
#include "model/zoo/variants.h"
#include "model/zoo/zoo.h"
#include "train/initialize.h"

namespace cambium::train {
namespace {

using namespace model;  // NOLINT(google-build-using-namespace): many operators are named

#define CAMBIUM_SKIP_WITHOUT_TORCH() \
  if (!require_feature("torch").ok()) GTEST_SKIP() << "built without libtorch"

const double kA = std::log(3.0) / 2;

// x[2, 1, 1, 2] -> 1x1 convolution to 2 channels, weights 1 and -1 -> (relu) -> (x + it) -> sum
// over places: 2 scores.
struct Worked {
  enum class With : std::uint8_t { Nothing, Relu, Shortcut };
  Model model;
  Value conv, last;

  explicit Worked(With with = With::Nothing) {
    Builder b("worked");
    const Value x = b.input("x", {DType::F32, {2, 1, 1, 2}});
    const Value w = b.weight("w", Tensor::of<float>({2, 1, 1, 1}, {1, -1}));
    conv = last = b.add(Conv{{1, 1}, {0, 0, 0, 0}, {1, 1}, 1}, {x, w}, "conv");
    if (with == With::Relu) last = b.add(Unary{UnaryFn::Relu}, {conv}, "relu");
    Value sum = last;
    if (with == With::Shortcut) sum = b.add(Binary{BinaryFn::Add}, {x, conv});
    b.output("y", b.add(Reduce{ReduceFn::Sum, {2, 3}, false}, {sum}));
    model = std::move(b).finish().value();
  }
};

ProxyBatch worked_batch() {
  const auto a = static_cast<float>(kA);
  return {Tensor::of<float>({2, 1, 1, 2}, {a, 0, 0, 2 * a}), {0, 1}};
}

double fisher_of(const Worked& worked, const FisherOptions& options = {}) {
  const auto report = fisher_potential(worked.model, worked_batch(), options);
  EXPECT_TRUE(report.ok()) << report.rejection().message();
  return report->total;
}

// With a = ln(3) / 2. Activations: channel 0 is x, channel 1 is -x; scores are s and -s, s = sum of
// x, so p0 = e^2s / (e^2s + 1).
//   sample 0: x = (a, 0),  s = a:   p0 = 3/4,  label 0: g = (p0 - 1, p1)  = (-1/4, 1/4)
//   sample 1: x = (0, 2a), s = 2a:  p0 = 9/10, label 1: g = (p0, p1 - 1)  = (9/10, -9/10)
// Sums over places of A g:
//   sample 0: channel 0: -a/4, channel 1: -a/4;   sample 1: channel 0: 1.8 a, channel 1: 1.8 a
// delta_c = 1 / (2 * 2) * ((a/4)^2 + (1.8 a)^2) for both channels; their sum is the layer's.
const double kByHand = 2 * (kA * kA / 16 + 3.24 * kA * kA) / 4;

TEST(Fisher, IsWhatComesOutOnPaper) {
  CAMBIUM_SKIP_WITHOUT_TORCH();
  const Worked worked;
  const auto report = fisher_potential(worked.model, worked_batch());
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  EXPECT_NEAR(report->total, kByHand, 1e-6);
  ASSERT_EQ(report->layers.size(), 1u);
  EXPECT_EQ(report->layers[0].name, "conv");
  EXPECT_EQ(report->layers[0].node, worked.conv.node);
}

TEST(Fisher, AMeanLossDividesByTheSquareOfTheBatch) {
  CAMBIUM_SKIP_WITHOUT_TORCH();
  FisherOptions options;
  options.loss = Loss::Mean;
  EXPECT_NEAR(fisher_of(Worked(), options), kByHand / 4, 1e-7);
  options.half = false;
  EXPECT_NEAR(fisher_of(Worked(), options), kByHand / 2, 1e-7);
}

// Behind the relu channel 1 is 0 everywhere: scores are s and 0, p0 = e^s / (e^s + 1).
TEST(Fisher, HooksWhatFollowsAConvolution) {
  CAMBIUM_SKIP_WITHOUT_TORCH();
  FisherOptions options;
  options.hooks = Hooks::Activations;
  const Worked worked(Worked::With::Relu);
  const double r = std::sqrt(3.0), p = r / (r + 1), q = 3.0 / 4;
  const double expected = (std::pow((p - 1) * kA, 2) + std::pow(q * 2 * kA, 2)) / 4;
  EXPECT_NEAR(fisher_of(worked, options), expected, 1e-6);
  const auto report = fisher_potential(worked.model, worked_batch(), options);
  EXPECT_EQ(report->layers[0].name, "relu");
  EXPECT_EQ(report->layers[0].of, worked.conv.node) << "of which layer the score is";
  options.hooks = Hooks::Convolutions;  // the same: where the relu is 0, so is the gradient
  EXPECT_NEAR(fisher_of(worked, options), expected, 1e-6);
}

// x + conv(x): channel 0 is 2x, channel 1 is 0; the branch ends at the convolution, as above.
TEST(Fisher, HooksTheEndsOfBranches) {
  CAMBIUM_SKIP_WITHOUT_TORCH();
  FisherOptions options;
  options.hooks = Hooks::BlockOutputs;
  const double p = 3.0 / 4, q = 9.0 / 10;
  const double sample0 = std::pow((p - 1) * kA, 2) + std::pow((1 - p) * kA, 2);
  const double sample1 = 2 * std::pow(q * 2 * kA, 2);
  EXPECT_NEAR(fisher_of(Worked(Worked::With::Shortcut), options), (sample0 + sample1) / 4, 1e-6);
}

// A total of 0 would call every other network legal.
TEST(Fisher, RefusesANetworkWithoutAnythingToScore) {
  CAMBIUM_SKIP_WITHOUT_TORCH();
  Builder b("product");
  const Value x = b.input("x", {DType::F32, {2, 3}});
  const Value w = b.weight("w", Tensor::lazy({DType::F32, {3, 2}}, {Fill::Law::Normal, 1, 1}));
  b.output("y", b.add(MatMul{}, {x, w}));
  const Model product = std::move(b).finish().value();
  const ProxyBatch rows{Tensor::lazy({DType::F32, {2, 3}}, {Fill::Law::Normal, 1, 2}), {0, 1}};
  for (const Hooks hooks : {Hooks::Convolutions, Hooks::Activations, Hooks::BlockOutputs}) {
    FisherOptions options;
    options.hooks = hooks;
    const auto report = fisher_potential(product, rows, options);
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.rejection().reason(), Reason::NotPromising);
    EXPECT_NE(report.rejection().message().find(name_of(hooks)), std::string::npos);
  }
  FisherOptions options;
  options.hooks = Hooks::BlockOutputs;  // the worked network has convolutions, but no branch
  EXPECT_EQ(fisher_potential(Worked().model, worked_batch(), options).rejection().reason(),
            Reason::NotPromising);
  FisherManyOptions many;
  many.fisher = options;
  const auto reports = fisher_of_many(
      1, [](std::int64_t) -> Result<Model> { return Worked().model; }, worked_batch(), many);
  ASSERT_FALSE(reports[0].ok());
  EXPECT_EQ(reports[0].rejection().reason(), Reason::NotPromising);
}

// DenseNet adds nothing: its branches end in concatenations.
TEST(Fisher, HooksTheEndsOfDenseBranches) {
  CAMBIUM_SKIP_WITHOUT_TORCH();
  zoo::ZooOptions small;
  small.width_divisor = 12;
  small.image = 16;
  const Model model = initialized(zoo::build("densenet161-cifar", small).value(), {});
  const ProxyBatch batch{Tensor::lazy({DType::F32, {4, 3, 16, 16}}, {Fill::Law::Normal, 1, 3}),
                         {0, 1, 2, 3}};
  FisherOptions options;
  options.hooks = Hooks::BlockOutputs;
  const auto report = fisher_potential(model, batch, options);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  ASSERT_EQ(report->layers.size(), 78u);
  for (const LayerScore& layer : report->layers) {
    EXPECT_TRUE(layer.name.ends_with(".conv2")) << layer.name;
    EXPECT_GT(layer.score, 0) << layer.name;
  }
  // The same layers, but not only they, count among the convolutions.
  const auto all = fisher_potential(model, batch);
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->layers.size(), 160u);
  double ends = 0;
  for (const LayerScore& layer : all->layers) {
    ends += layer.name.ends_with(".conv2") ? layer.score : 0;
  }
  EXPECT_NEAR(ends, report->total, 1e-9 * ends);
}

// Running statistics of mean 0 and variance 1 leave the convolution of the worked case as it is;
// the statistics of the batch do not.
TEST(Fisher, TakesRunningStatisticsWhenAsked) {
  CAMBIUM_SKIP_WITHOUT_TORCH();
  Builder b("normed");
  const Value x = b.input("x", {DType::F32, {2, 1, 1, 2}});
  const Value w = b.weight("w", Tensor::of<float>({2, 1, 1, 1}, {1, -1}));
  const auto two = [&](const char* name, float value) {
    return b.weight(name, Tensor::of<float>({2}, {value, value}));
  };
  const Value conv = b.add(Conv{{1, 1}, {0, 0, 0, 0}, {1, 1}, 1}, {x, w}, "conv");
  const Value normed = b.add(
      BatchNorm{0}, {conv, two("scale", 1), two("bias", 0), two("mean", 0), two("variance", 1)});
  b.output("y", b.add(Reduce{ReduceFn::Sum, {2, 3}, false}, {normed}));
  const Model model = std::move(b).finish().value();
  FisherOptions options;
  options.batch_statistics = false;
  EXPECT_NEAR(fisher_potential(model, worked_batch(), options)->total, kByHand, 1e-6);
  options.batch_statistics = true;
  EXPECT_GT(std::fabs(fisher_potential(model, worked_batch(), options)->total - kByHand), 1e-3);
}

TEST(Fisher, ScoresEveryConvolutionOfANetworkAndEachSeedTheSameAgain) {
  CAMBIUM_SKIP_WITHOUT_TORCH();
  const auto model = zoo::build("tiny-resnet");
  ASSERT_TRUE(model.ok());
  const Model fresh = initialized(*model, {});
  std::size_t convolutions = 0;
  for (const NodePtr& node : fresh.nodes()) convolutions += node->as<Conv>() != nullptr;
  Ints dims = fresh.type({fresh.inputs()[0], 0}).dims;
  dims[0] = 4;
  const ProxyBatch batch{Tensor::lazy({DType::F32, dims}, {Fill::Law::Normal, 1, 3}), {0, 1, 2, 3}};
  const auto report = fisher_potential(fresh, batch);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  ASSERT_EQ(report->layers.size(), convolutions);
  double sum = 0;
  for (const LayerScore& layer : report->layers) {
    EXPECT_GT(layer.score, 0) << layer.name;
    sum += layer.score;
  }
  EXPECT_DOUBLE_EQ(report->total, sum);
  EXPECT_EQ(fisher_potential(fresh, batch)->total, report->total);
}

// Narrow variants of ResNet-34 on small images, neighbours and strangers.
class FisherOfMany : public testing::Test {
 protected:
  static Result<Model> network(std::int64_t index) {
    zoo::BlockVariant variant(zoo::kResNet34Blocks);
    const std::int64_t from = index < 3 ? 12 : 0;  // the first three differ in the last stage only
    for (auto i = static_cast<std::size_t>(from); i < variant.size(); ++i) {
      variant[i] = {std::int64_t{1} << (index % 3), index % 2 == 0 ? 1 : 2};
    }
    zoo::ZooOptions options;
    options.width_divisor = 8;
    options.image = 8;
    CAMBIUM_TRY(const Model model, zoo::resnet34_cifar_variant(variant, options));
    return initialized(model, {});
  }
  static ProxyBatch batch() {
    return {Tensor::lazy({DType::F32, {4, 3, 8, 8}}, {Fill::Law::Normal, 1, 3}), {0, 1, 2, 3}};
  }
  static constexpr std::int64_t kCount = 40;
};

TEST_F(FisherOfMany, IsThatOfEachToTheLastBit) {
  CAMBIUM_SKIP_WITHOUT_TORCH();
  set_threads(1);
  for (const bool shares : {true, false}) {
    FisherManyOptions options;
    options.shares_values = shares;
    const auto reports = fisher_of_many(kCount, network, batch(), options);
    ASSERT_EQ(reports.size(), static_cast<std::size_t>(kCount));
    for (std::int64_t i = 0; i < 6; ++i) {
      const auto& report = reports[static_cast<std::size_t>(i)];
      ASSERT_TRUE(report.ok()) << report.rejection().message();
      const auto alone = fisher_potential(network(i).value(), batch());
      EXPECT_EQ(report->total, alone->total) << i;
      ASSERT_EQ(report->layers.size(), alone->layers.size());
      for (std::size_t layer = 0; layer < alone->layers.size(); ++layer) {
        EXPECT_EQ(report->layers[layer].score, alone->layers[layer].score) << i;
        EXPECT_EQ(report->layers[layer].name, alone->layers[layer].name);
      }
    }
    EXPECT_NE(reports[0]->total, reports[1]->total);
  }
}

TEST_F(FisherOfMany, IsTheSameWithAnyNumberOfWorkers) {
  CAMBIUM_SKIP_WITHOUT_TORCH();
  FisherManyOptions one, three;
  three.workers = 3;
  std::vector<int> ended(static_cast<std::size_t>(kCount));
  three.ended = [&](std::int64_t index, const Result<FisherReport>& report) {
    EXPECT_TRUE(report.ok());
    ++ended[static_cast<std::size_t>(index)];
  };
  const auto a = fisher_of_many(kCount, network, batch(), one);
  const auto b = fisher_of_many(kCount, network, batch(), three);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i]->total, b[i]->total) << i;
  EXPECT_EQ(ended, std::vector<int>(static_cast<std::size_t>(kCount), 1));
}

TEST_F(FisherOfMany, RefusesOneNetworkAndScoresTheOthers) {
  CAMBIUM_SKIP_WITHOUT_TORCH();
  const auto source = [](std::int64_t index) -> Result<Model> {
    if (index == 1) return Rejection(Reason::BadOption, "network", "none");
    if (index == 2) return Worked().model;
    return network(index);
  };
  const auto reports = fisher_of_many(4, source, batch());
  EXPECT_TRUE(reports[0].ok());
  EXPECT_EQ(reports[1].rejection().reason(), Reason::BadOption);
  EXPECT_EQ(reports[2].rejection().reason(), Reason::ShapeMismatch);
  EXPECT_TRUE(reports[3].ok());
}

TEST_F(FisherOfMany, DenseConvolutionsWithZerosAreGroupedOnes) {
  CAMBIUM_SKIP_WITHOUT_TORCH();
  FisherManyOptions dense;
  dense.fisher.dense_groups = true;
  const auto a = fisher_of_many(6, network, batch());
  const auto b = fisher_of_many(6, network, batch(), dense);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i]->total, b[i]->total, 1e-3 * a[i]->total) << i;
  }
}

Reason refusal(ProxyBatch batch) {
  const auto report = fisher_potential(Worked().model, batch);
  EXPECT_FALSE(report.ok());
  return report.ok() ? Reason::Unavailable : report.rejection().reason();
}

TEST(Fisher, RefusesBatchesThatDoNotFit) {
  CAMBIUM_SKIP_WITHOUT_TORCH();
  const auto images = [](Ints dims) { return Tensor::lazy({DType::F32, std::move(dims)}, {}); };
  EXPECT_EQ(refusal({images({2, 1, 1, 3}), {0, 1}}), Reason::ShapeMismatch);
  EXPECT_EQ(refusal({images({2, 1, 2}), {0, 1}}), Reason::ShapeMismatch);
  EXPECT_EQ(refusal({images({2, 1, 1, 2}), {0}}), Reason::CountMismatch);
  EXPECT_EQ(refusal({images({2, 1, 1, 2}), {0, 2}}), Reason::LabelOutOfRange);
  EXPECT_EQ(refusal({images({2, 1, 1, 2}), {-1, 0}}), Reason::LabelOutOfRange);
  EXPECT_EQ(refusal({images({0, 1, 1, 2}), {}}), Reason::NoSamples);
  EXPECT_EQ(refusal({Tensor::lazy({DType::I64, {2, 1, 1, 2}}, {}), {0, 1}}), Reason::WrongType);
}

TEST(Fisher, RefusesTokensThatNoTableHas) {
  CAMBIUM_SKIP_WITHOUT_TORCH();
  Builder b("table");
  const Value x = b.input("x", {DType::I64, {1}});
  const Value rows = b.weight("rows", Tensor::lazy({DType::F32, {3, 2}}, {}));
  b.output("y", b.add(Gather{0}, {rows, x}));
  const Model model = std::move(b).finish().value();
  for (const std::int64_t token : {3, -4}) {
    const auto report = fisher_potential(model, {Tensor::of<std::int64_t>({1}, {token}), {0}});
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.rejection().reason(), Reason::IndexOutOfRange);
  }
  // The network runs on a token that the table has; it only has no convolution.
  const auto report = fisher_potential(model, {Tensor::of<std::int64_t>({1}, {2}), {0}});
  EXPECT_EQ(report.rejection().reason(), Reason::NotPromising);
}

double score(const char* name, const Model& model, const std::vector<ProxyBatch>& batches) {
  const auto proxy = proxy_named(name);
  EXPECT_TRUE(proxy.ok());
  const auto value = (*proxy)->score(model, batches, {});
  EXPECT_TRUE(value.ok()) << value.rejection().message();
  return value.ok() ? *value : std::nan("");
}

// x[1, columns] -> gemm with these rows
Model linear(const std::vector<float>& rows, std::int64_t columns) {
  Builder b("linear");
  const Value x = b.input("x", {DType::F32, {1, columns}});
  const auto count = static_cast<std::int64_t>(rows.size()) / columns;
  const Value w = b.weight("w", Tensor::of<float>({count, columns}, rows));
  b.output("y", b.add(Gemm{1, 1, false, true}, {x, w}));
  return std::move(b).finish().value();
}

ProxyBatch one_sample(float x) {
  return {Tensor::of<float>({1, 1}, {x}), {0}};
}

// Equal scores: p = 1/2, so dL/dw = (-1/2, 1/2) * x.
TEST(Proxies, GradNormAndSnipOfALinearLayer) {
  CAMBIUM_SKIP_WITHOUT_TORCH();
  const Model model = linear({2, 2}, 1);
  EXPECT_NEAR(score("grad-norm", model, {one_sample(3)}), 1.5 * std::sqrt(2.0), 1e-6);
  EXPECT_NEAR(score("snip", model, {one_sample(3)}), 2 * 1.5 + 2 * 1.5, 1e-6);
}

// Two batches with gradients (-1/2, 1/2) and (-3/2, 3/2): mean magnitude 1, deviation 1/2, ratio 2
// for both weights.
TEST(Proxies, ZicoOfALinearLayer) {
  CAMBIUM_SKIP_WITHOUT_TORCH();
  const Model model = linear({0, 0}, 1);
  EXPECT_NEAR(score("zico", model, {one_sample(1), one_sample(3)}), std::log(4.0), 1e-6);
  EXPECT_EQ(score("zico", model, {one_sample(2), one_sample(2)}), 0);  // nothing varies
}

// x -> layer norm, in a composite.
Composite normalizing() {
  Builder body("body");
  const Value x = body.input("x", {DType::F32, {1, 2}});
  const Value scale = body.input("scale", {DType::F32, {2}});
  body.output("y", body.add(LayerNorm{1, 1e-5}, {x, scale}));
  return composite_of("test", "norm", std::move(body).finish().value()).value();
}

// |A| 1 = (3, 7), |B| (3, 7) = (10, 14), so R = 24; R is linear in each weight matrix of a chain,
// so that the sum of w dR/dw over each is R.
TEST(Proxies, SynflowIsTheFlowOncePerLayer) {
  CAMBIUM_SKIP_WITHOUT_TORCH();
  for (const Op& norm : {Op(LayerNorm{1, 1e-5}), Op(normalizing())}) {
    Builder b("chain");
    const Value x = b.input("x", {DType::F32, {1, 2}});
    const Value first = b.weight("a", Tensor::of<float>({2, 2}, {1, -2, 3, 4}));
    const Value second = b.weight("b", Tensor::of<float>({2, 2}, {-1, 1, 0, 2}));
    const Value ones = b.weight("ones", Tensor::of<float>({2}, {7, 7}));
    const Value hidden = b.add(Gemm{1, 1, false, true}, {x, first});
    const Value normed = b.add(norm, {hidden, ones});  // left out
    const Value active = b.add(Unary{UnaryFn::Relu}, {normed});
    b.output("y", b.add(Gemm{1, 1, false, true}, {active, second}));
    const Model model = std::move(b).finish().value();
    const ProxyBatch batch{Tensor::of<float>({1, 2}, {5, 5}), {0}};
    EXPECT_NEAR(score("synflow", model, {batch}), 2 * 24, 1e-9);
  }
}

constexpr double kK = 1e-5;

// The Jacobian of a linear network is the same for all samples: correlations are 1, eigenvalues 2
// and 0.
TEST(Proxies, JacobiansOfALinearNetworkCorrelate) {
  CAMBIUM_SKIP_WITHOUT_TORCH();
  const Model model = linear({1, 2, 3, 5, -1, 4}, 3);
  const ProxyBatch batch{Tensor::of<float>({2, 3}, {1, 2, 3, -4, 0, 2}), {0, 1}};
  const double expected = -(std::log(2 + kK) + 1 / (2 + kK) + std::log(kK) + 1 / kK);
  EXPECT_NEAR(score("jacobian", model, {batch}), expected, 1e-3);
}

// relu(x): the Jacobians are (1, 1, 0, 0) and (1, 0, 1, 0), which do not correlate: eigenvalues
// 1, 1.
TEST(Proxies, JacobiansBehindReluNeedNotCorrelate) {
  CAMBIUM_SKIP_WITHOUT_TORCH();
  Builder b("relu");
  const Value x = b.input("x", {DType::F32, {1, 4}});
  b.output("y", b.add(Unary{UnaryFn::Relu}, {x}));
  const ProxyBatch batch{Tensor::of<float>({2, 4}, {1, 1, -1, -1, 1, -1, 1, -1}), {0, 1}};
  EXPECT_NEAR(score("jacobian", std::move(b).finish().value(), {batch}),
              -2 * (std::log(1 + kK) + 1 / (1 + kK)), 1e-9);
}

TEST(Proxies, AllScoreARealNetwork) {
  CAMBIUM_SKIP_WITHOUT_TORCH();
  const Model model = initialized(*zoo::build("tiny-resnet"), {});
  Ints dims = model.type({model.inputs()[0], 0}).dims;
  dims[0] = 4;
  std::vector<ProxyBatch> batches;
  for (const std::uint64_t seed : {1u, 2u}) {
    batches.push_back(
        {Tensor::lazy({DType::F32, dims}, {Fill::Law::Normal, 1, seed}), {0, 1, 2, 3}});
  }
  ASSERT_EQ(proxies().size(), 6u);
  for (const Proxy& proxy : proxies()) {
    EXPECT_TRUE(std::isfinite(score(proxy.name, model, batches))) << proxy.name;
    const auto none = proxy.score(model, {}, {});
    ASSERT_FALSE(none.ok()) << proxy.name;
    EXPECT_EQ(none.rejection().reason(), Reason::SizeOutOfRange) << proxy.name;
  }
}

TEST(Proxies, RefusesANameThatIsNone) {
  const auto proxy = proxy_named("wisdom");
  ASSERT_FALSE(proxy.ok());
  EXPECT_EQ(proxy.rejection().reason(),
            require_feature("torch").ok() ? Reason::BadOption : Reason::Unavailable);
}

}  // namespace
}  // namespace cambium::train

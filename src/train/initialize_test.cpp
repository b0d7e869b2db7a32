#include "train/initialize.h"

#include <cmath>

#include <gtest/gtest.h>

#include "model/builder.h"
#include "model/fingerprint.h"
#include "model/reference/execute.h"
#include "model/zoo/composites.h"
#include "model/zoo/zoo.h"

namespace cambium::train {
namespace {

using namespace model;  // NOLINT(google-build-using-namespace): many operators are named

Tensor zeros(Ints dims) {
  return Tensor::lazy({DType::F32, std::move(dims)}, {});
}

// x[2, 32, 9, 9] -> conv 64 from 32 in 4 groups -> norm -> mean -> gemm 10
struct Net {
  Value conv, bias, scale, shift, mean, variance, dense, rows;
  Model model;

  Net() {
    Builder b("net");
    const Value x = b.input("x", {DType::F32, {2, 32, 9, 9}});
    conv = b.weight("conv", zeros({64, 8, 3, 3}));
    bias = b.weight("bias", zeros({64}));
    const Value y = b.add(Conv{{1, 1}, {1, 1, 1, 1}, {1, 1}, 4}, {x, conv, bias});
    scale = b.weight("scale", zeros({64}));
    shift = b.weight("shift", zeros({64}));
    mean = b.weight("mean", Tensor::lazy({DType::F32, {64}}, {Fill::Law::Constant, 5, 0}));
    variance = b.weight("variance", zeros({64}));
    const Value normed = b.add(BatchNorm{}, {y, scale, shift, mean, variance});
    const Value pooled = b.add(Reduce{ReduceFn::Mean, {2, 3}, false}, {normed});
    dense = b.weight("dense", zeros({1000, 64}));
    const Value scores = b.add(Gemm{1, 1, false, true}, {pooled, dense});
    rows = b.weight("rows", zeros({1000, 16}));
    const Value at = b.add(ArgReduce{true, false, false, 1}, {scores});
    b.output("y", b.add(Gather{0}, {rows, at}));
    b.output("scores", scores);
    model = std::move(b).finish().value();
  }

  double variance_of(Value weight, Scheme scheme, std::uint64_t seed = 1) const {
    InitializeOptions options;
    options.scheme = scheme;
    options.seed = seed;
    double sum = 0, squares = 0;
    const Model fresh = initialized(model, options);
    const auto elements = fresh.weight(weight)->as<float>();
    for (const float element : elements) {
      sum += element;
      squares += static_cast<double>(element) * element;
    }
    const auto n = static_cast<double>(elements.size());
    EXPECT_LT(std::fabs(sum / n), 5 * std::sqrt(squares / n / n));
    return squares / n;
  }
};

TEST(Initialize, DrawsTheVarianceThatTheFansSay) {
  const Net net;
  // 4608 and 64000 elements: the variance is known within a few per cent.
  const double conv_in = 8 * 9, conv_out = 64 * 9, in = 64, out = 1000;
  const auto conv = [&](Scheme scheme) { return net.variance_of(net.conv, scheme); };
  const auto dense = [&](Scheme scheme) { return net.variance_of(net.dense, scheme); };
  const auto near = [](double actual, double expected) { EXPECT_NEAR(actual / expected, 1, 0.08); };
  near(conv(Scheme::KaimingFanOut), 2 / conv_out);
  near(conv(Scheme::KaimingFanIn), 2 / conv_in);
  near(conv(Scheme::Xavier), 2 / (conv_in + conv_out));
  near(conv(Scheme::Lecun), 1 / conv_in);
  near(conv(Scheme::Normal02), 0.0004);
  near(dense(Scheme::KaimingFanOut), 1 / (3 * in));
  near(dense(Scheme::KaimingFanIn), 2 / in);
  near(dense(Scheme::Xavier), 2 / (in + out));
  near(dense(Scheme::Lecun), 1 / in);
  near(net.variance_of(net.rows, Scheme::Xavier), 0.0004);
}

TEST(Initialize, UniformLawsAreBounded) {
  const Net net;
  InitializeOptions options;
  options.scheme = Scheme::Xavier;
  const Model fresh = initialized(net.model, options);
  const double bound = std::sqrt(6.0 / (64 + 1000));
  for (const float element : fresh.weight(net.dense)->as<float>()) {
    ASSERT_LE(std::fabs(element), bound * 1.000001);
  }
}

TEST(Initialize, NormsStartAsTheIdentity) {
  const Net net;
  const Model fresh = initialized(net.model, {});
  const auto constant = [&](Value weight) { return fresh.weight(weight)->to_doubles(); };
  EXPECT_EQ(constant(net.scale), std::vector<double>(64, 1));
  EXPECT_EQ(constant(net.shift), std::vector<double>(64, 0));
  EXPECT_EQ(constant(net.mean), std::vector<double>(64, 0));
  EXPECT_EQ(constant(net.variance), std::vector<double>(64, 1));
  EXPECT_EQ(constant(net.bias), std::vector<double>(64, 0));
}

TEST(Initialize, ASeedMeansTheSameWeightsAndAnotherSeedOthers) {
  const Net net;
  InitializeOptions options;
  const Fingerprint first = content_of(initialized(net.model, options));
  EXPECT_EQ(content_of(initialized(net.model, options)), first);
  options.seed = 2;
  EXPECT_NE(content_of(initialized(net.model, options)), first);
  EXPECT_EQ(structure_of(initialized(net.model, options)), structure_of(net.model));
}

TEST(Initialize, AWeightDependsOnItsNameNotOnTheRestOfTheModel) {
  const Net net;
  Builder other("other");
  const Value x = other.input("x", {DType::F32, {1, 32, 9, 9}});
  const Value conv = other.weight("conv", zeros({64, 8, 3, 3}));
  other.output("y", other.add(Conv{{1, 1}, {1, 1, 1, 1}, {1, 1}, 4}, {x, conv}));
  const Model small = std::move(other).finish().value();
  EXPECT_EQ(initialized(small, {}).weight(conv)->fingerprint(),
            initialized(net.model, {}).weight(net.conv)->fingerprint());
}

// A layer that is written in another way begins with the same numbers: elements are drawn as [out,
// in, kernel], in whatever order the weight lies.
TEST(Initialize, DrawsTheSameMatrixWhicheverWayItLies) {
  Builder b("matrices");
  const Value x = b.input("x", {DType::F32, {2, 5}});
  const Value gemm = b.weight("w", zeros({7, 5}));
  b.output("y", b.add(Gemm{1, 1, false, true}, {x, gemm}));
  const Model one = std::move(b).finish().value();
  const auto rows = initialized(one, {}).weight(gemm)->to_doubles();
  const auto expect_columns = [&](const Model& model, Value weight) {
    const auto columns = initialized(model, {}).weight(weight)->to_doubles();
    for (std::size_t out = 0; out < 7; ++out) {
      for (std::size_t in = 0; in < 5; ++in) EXPECT_EQ(columns[in * 7 + out], rows[out * 5 + in]);
    }
  };
  for (const bool is_gemm : {false, true}) {
    Builder other("turned");
    const Value data = other.input("x", {DType::F32, {2, 5}});
    const Value turned = other.weight("w", zeros({5, 7}));
    other.output("y", other.add(is_gemm ? Op(Gemm{}) : Op(MatMul{}), {data, turned}));
    expect_columns(std::move(other).finish().value(), turned);
  }
  Builder moved("moved");
  const Value data = moved.input("x", {DType::F32, {2, 5}});
  const Value flat = moved.weight("w", zeros({5, 7, 1}));
  const Value matrix = moved.add(Reshape{{7, 5}}, {moved.add(Transpose{{1, 2, 0}}, {flat})});
  moved.output("y", moved.add(Gemm{1, 1, false, true}, {data, matrix}));
  expect_columns(std::move(moved).finish().value(), flat);
}

TEST(Initialize, DrawsAConvolutionAsItsReaderHasIt) {
  const auto made = [](bool is_moved) {
    Builder b("conv");
    const Value x = b.input("x", {DType::F32, {1, 4, 5, 5}});
    const Value w = b.weight("w", zeros(is_moved ? Ints{3, 4, 3, 6} : Ints{6, 4, 3, 3}));
    const Value read = is_moved ? b.add(Transpose{{3, 1, 2, 0}}, {w}) : w;
    b.output("y", b.add(Conv{{1, 1}, {1, 1, 1, 1}, {1, 1}, 1}, {x, read}));
    return std::move(b).finish().value();
  };
  const Tensor x = Tensor::lazy({DType::F32, {1, 4, 5, 5}}, {Fill::Law::Normal, 1, 5});
  const auto y = [&](bool is_moved) {
    return execute(initialized(made(is_moved), {}), {&x, 1}).value()[0].to_doubles();
  };
  EXPECT_EQ(y(true), y(false));
}

TEST(Initialize, NothingIsFilledBeforeItIsRead) {
  const auto model = zoo::build("resnet50");
  ASSERT_TRUE(model.ok());
  const Model fresh = initialized(*model, {});
  for (const NodePtr& node : fresh.nodes()) {
    const Weight* weight = node->as<Weight>();
    if (weight != nullptr && is_floating(weight->value.dtype()) && node->outputs[0].rank() > 0) {
      EXPECT_TRUE(weight->value.fill().has_value()) << node->name;
    }
  }
}

// Zeroing the last norm of each residual branch makes every block the identity of its shortcut.
TEST(Initialize, ZeroesTheNormThatEndsABranch) {
  const auto model = zoo::build("resnet18");
  ASSERT_TRUE(model.ok());
  InitializeOptions options;
  options.zeroes_last_norms = true;
  const Model fresh = initialized(*model, options);
  int zeroed = 0, norms = 0;
  for (const NodePtr& node : fresh.nodes()) {
    if (node->as<BatchNorm>() == nullptr) continue;
    ++norms;
    const bool zero = fresh.weight(node->inputs[1])->fill()->scale == 0;
    if (!zero) continue;
    ++zeroed;
    EXPECT_EQ(node->name.find("downsample"), std::string::npos) << node->name;
  }
  EXPECT_EQ(norms, 20);
  EXPECT_EQ(zeroed, 8);
}

TEST(Initialize, RefusesASchemeThatIsNone) {
  const auto scheme = scheme_of("he");
  ASSERT_FALSE(scheme.ok());
  EXPECT_EQ(scheme.rejection().reason(), Reason::BadOption);
  EXPECT_EQ(*scheme_of("xavier"), Scheme::Xavier);
}

// Weights of synthesized operators are those of the convolutions that they are: with Lecun's scheme
// what comes out has the variance of what comes in, up to the border.
TEST(Initialize, SeesWhatAWeightIsThroughACompositeAndItsRecognition) {
  for (const zoo::KnownComposite& known : zoo::known_composites()) {
    for (const std::int64_t out : {16, 128}) {
      SCOPED_TRACE(known.name);
      const zoo::ConvPlace place{.batch = 1, .in = 16, .out = out, .side = 8};
      const auto composite = zoo::known_composite(known.name, place).value();
      InitializeOptions options;
      options.scheme = Scheme::Lecun;
      const Model model = initialized(zoo::model_around(composite), options);
      const Tensor x = Tensor::lazy({DType::F32, {1, 16, 8, 8}}, {Fill::Law::Normal, 1, 5});
      double squares = 0;
      const auto y = execute(model, {&x, 1}).value()[0].to_doubles();
      for (const double element : y) squares += element * element;
      const double variance = squares / static_cast<double>(y.size());
      EXPECT_GT(variance, 0.5) << out;
      EXPECT_LT(variance, 1.5) << out;
    }
  }
}

}  // namespace
}  // namespace cambium::train

#include "model/cost.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "model/builder.h"

namespace cambium::model {
namespace {

Tensor zeros(Ints dims, DType dtype = DType::F32) {
  return Tensor::lazy({dtype, std::move(dims)}, Fill{});
}

Conv conv(std::int64_t stride, std::int64_t pad, std::int64_t groups = 1) {
  return {{stride, stride}, {pad, pad, pad, pad}, {1, 1}, groups};
}

const NodeCost& cost_at(const Model& model, const Cost& cost, const std::string& name) {
  for (std::size_t i = 0; i < model.nodes().size(); ++i) {
    if (model.nodes()[i]->name == name) return cost.nodes[i];
  }
  ADD_FAILURE() << "no node " << name;
  return cost.nodes[0];
}

TEST(Cost, ConvolutionMultipliesOutputWithKernelAndGroupChannels) {
  Builder b("m");
  const Value x = b.input("x", {DType::F32, {2, 64, 56, 56}});
  const Value w = b.weight("w", zeros({128, 16, 3, 3}));
  const Value bias = b.weight("b", zeros({128}));
  b.output("y", b.add(conv(2, 1, 4), {x, w, bias}, "conv"));
  const Model model = std::move(b).finish().value();
  const Cost cost = cost_of(model);
  EXPECT_EQ(cost.macs, std::int64_t{2} * 128 * 28 * 28 * 16 * 9);
  EXPECT_EQ(cost.params, 128 * 16 * 9 + 128);
  EXPECT_EQ(cost_at(model, cost, "conv").params, cost.params);
}

TEST(Cost, TransposedConvolutionMultipliesItsInput) {
  const TensorType x{DType::F32, {1, 8, 5, 5}}, w{DType::F32, {8, 4, 3, 3}},
      y{DType::F32, {1, 4, 11, 11}};
  const ConvTranspose op{{2, 2}, {0, 0, 0, 0}, {1, 1}, {0, 0}, 1};
  EXPECT_EQ(macs_of(op, std::vector{x, w}, std::vector{y}), 8 * 5 * 5 * 4 * 9);
}

TEST(Cost, ProductsCountTheContractedExtent) {
  const TensorType a{DType::F32, {2, 3, 4, 5}}, b{DType::F32, {5, 7}}, c{DType::F32, {2, 3, 4, 7}};
  EXPECT_EQ(macs_of(MatMul{}, std::vector{a, b}, std::vector{c}), 2 * 3 * 4 * 5 * 7);
  const TensorType at{DType::F32, {5, 4}}, y{DType::F32, {4, 7}};
  EXPECT_EQ(macs_of(Gemm{1, 1, true, false}, std::vector{at, b}, std::vector{y}), 4 * 5 * 7);
}

TEST(Cost, EinsumCountsEveryIndexOnceAndOneOperandNothing) {
  const TensorType a{DType::F32, {2, 3, 5}}, b{DType::F32, {2, 5, 7}}, y{DType::F32, {2, 3, 7}},
      s{DType::F32, {2}};
  EXPECT_EQ(macs_of(Einsum{"bij,bjk->bik"}, std::vector{a, b}, std::vector{y}), 2 * 3 * 5 * 7);
  EXPECT_EQ(macs_of(Einsum{"bij->b"}, std::vector{a}, std::vector{s}), 0);
}

TEST(Cost, SaturatesInsteadOfOverflowing) {
  const std::int64_t huge = std::int64_t{1} << 36;
  const TensorType column{DType::F32, {huge}};
  const TensorType y{DType::F32, {}};
  EXPECT_EQ(macs_of(Einsum{"a,b,c->"}, std::vector{column, column, column}, std::vector{y}),
            std::numeric_limits<std::int64_t>::max());
}

TEST(Cost, StatisticsTablesAndScalarsAreNoParameters) {
  Builder b("m");
  Value x = b.input("x", {DType::F32, {1, 8, 4, 4}});
  x = b.add(BatchNorm{}, {x, b.weight("scale", zeros({8})), b.weight("bias", zeros({8})),
                          b.weight("mean", zeros({8})), b.weight("variance", zeros({8}))});
  x = b.add(Binary{BinaryFn::Mul}, {x, b.weight("scalar", zeros({}))});
  x = b.add(Gather{1}, {x, b.weight("table", zeros({3}, DType::I64))});
  b.output("y", x);
  const Model model = std::move(b).finish().value();
  EXPECT_EQ(cost_of(model).params, 16);
  EXPECT_EQ(parameters_of(model).size(), 2u);
  EXPECT_EQ(cost_of(model).weight_bytes, 4 * 8 * 4 + 4 + 3 * 8);
}

TEST(Cost, SharedWeightCountsOnceAtItsFirstReader) {
  Builder b("m");
  const Value x = b.input("x", {DType::F32, {1, 6}});
  const Value w = b.weight("w", zeros({6, 6}));
  const Value y = b.add(MatMul{}, {x, w}, "first");
  b.output("z", b.add(MatMul{}, {y, w}, "second"));
  const Model model = std::move(b).finish().value();
  const Cost cost = cost_of(model);
  EXPECT_EQ(cost.params, 36);
  EXPECT_EQ(cost_at(model, cost, "first").params, 36);
  EXPECT_EQ(cost_at(model, cost, "second").params, 0);
}

TEST(Cost, PeakHoldsAResidualUntilItsLastReader) {
  Builder b("m");
  const Value x = b.input("x", {DType::F32, {1, 100}});  // 400 bytes
  const Value a = b.add(Unary{}, {x}, "a");
  const Value c = b.add(Unary{}, {a}, "c");
  const Value d = b.add(Unary{}, {c}, "d");
  b.output("y", b.add(Binary{}, {d, a}, "sum"));
  const Model model = std::move(b).finish().value();
  const Cost cost = cost_of(model);
  EXPECT_EQ(cost_at(model, cost, "a").live_bytes, 800);     // x, a
  EXPECT_EQ(cost_at(model, cost, "c").live_bytes, 800);     // a, c: x is gone
  EXPECT_EQ(cost_at(model, cost, "d").live_bytes, 1200);    // a, c, d
  EXPECT_EQ(cost_at(model, cost, "sum").live_bytes, 1200);  // a, d, sum
  EXPECT_EQ(cost.peak_bytes, 1200);
  EXPECT_EQ(cost.activation_bytes, 5 * 400);
}

TEST(Cost, ReshapeSharesItsBufferAndKeepsItAlive) {
  Builder b("m");
  const Value x = b.input("x", {DType::F32, {1, 100}});
  const Value a = b.add(Unary{}, {x}, "a");
  const Value view = b.add(Reshape{{100}}, {a}, "view");
  const Value c = b.add(Unary{}, {x}, "c");
  const Value d = b.add(Unary{}, {view}, "d");
  b.output("y", b.add(Binary{}, {c, d}, "sum"));
  const Model model = std::move(b).finish().value();
  const Cost cost = cost_of(model);
  EXPECT_EQ(cost_at(model, cost, "view").activation_bytes, 0);
  EXPECT_EQ(cost_at(model, cost, "d").live_bytes, 1200);
  EXPECT_EQ(cost.peak_bytes, 1200);
}

TEST(Cost, AnOutputLivesToTheEnd) {
  Builder b("m");
  const Value x = b.input("x", {DType::F32, {100}});
  const Value early = b.add(Unary{}, {x}, "early");
  Value y = b.add(Unary{}, {early}, "c");
  for (int i = 0; i < 3; ++i) y = b.add(Unary{}, {y});
  b.output("early", early);
  b.output("y", y);
  EXPECT_EQ(cost_of(std::move(b).finish().value()).peak_bytes, 1200);
}

}  // namespace
}  // namespace cambium::model

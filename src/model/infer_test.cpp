#include "model/infer.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cambium::model {
namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

TensorType f32(Ints dims) {
  return {DType::F32, std::move(dims)};
}

std::string inferred(const Op& op, const std::vector<TensorType>& inputs) {
  const auto types = infer(op, inputs);
  if (!types.ok()) return types.rejection().message();
  std::string out;
  for (const TensorType& type : *types) out += (out.empty() ? "" : " ") + type.text();
  return out;
}

void expect_refused(const Op& op, const std::vector<TensorType>& inputs, Reason reason) {
  const auto types = infer(op, inputs);
  ASSERT_FALSE(types.ok()) << kind_of(op) << " gave " << inferred(op, inputs);
  EXPECT_EQ(types.rejection().reason(), reason) << types.rejection().message();
}

TEST(Infer, ConvolutionCountsWindows) {
  const Conv conv{{2, 2}, {3, 3, 3, 3}, {1, 1}, 1};
  EXPECT_EQ(inferred(conv, {f32({1, 3, 224, 224}), f32({64, 3, 7, 7})}), "f32[1, 64, 112, 112]");
  const Conv dilated{{1}, {0, 1}, {3}, 2};
  EXPECT_EQ(inferred(dilated, {f32({2, 4, 10}), f32({6, 2, 3}), f32({6})}), "f32[2, 6, 5]");
}

TEST(Infer, RefusesConvolutionsThatDoNotFit) {
  const TensorType x = f32({1, 4, 8, 8}), w = f32({8, 4, 3, 3});
  const Conv conv{{1, 1}, {0, 0, 0, 0}, {1, 1}, 1};
  expect_refused(conv, {x}, Reason::WrongInputCount);
  expect_refused(conv, {x, f32({8, 3, 3, 3})}, Reason::ShapeMismatch);
  expect_refused(conv, {x, f32({8, 4, 9, 3})}, Reason::ShapeMismatch);
  expect_refused(conv, {x, f32({8, 4, 0, 3})}, Reason::ShapeMismatch);
  expect_refused(conv, {x, f32({8, 4, 3})}, Reason::ShapeMismatch);
  expect_refused(conv, {x, w, f32({7})}, Reason::ShapeMismatch);
  expect_refused(conv, {x, {DType::F16, w.dims}}, Reason::WrongType);
  expect_refused(conv, {{DType::I32, x.dims}, {DType::I32, w.dims}}, Reason::WrongType);
  Conv bad = conv;
  bad.groups = 3;
  expect_refused(bad, {x, w}, Reason::BadAttribute);
  bad.groups = 0;
  expect_refused(bad, {x, w}, Reason::BadAttribute);
  bad = conv;
  bad.strides = {0, 1};
  expect_refused(bad, {x, w}, Reason::BadAttribute);
  bad.strides = {1};
  expect_refused(bad, {x, w}, Reason::BadAttribute);
  bad = conv;
  bad.dilations = {4, 1};
  expect_refused(bad, {x, w}, Reason::ShapeMismatch);
  bad = conv;
  bad.pads = {0, -1, 0, 0};
  expect_refused(bad, {x, w}, Reason::BadAttribute);
}

TEST(Infer, HugeAttributesAreRefusedWithoutOverflow) {
  const TensorType x = f32({1, 1, 8}), w = f32({1, 1, 3});
  expect_refused(Conv{{1}, {kHuge, kHuge}, {1}, 1}, {x, w}, Reason::BadAttribute);
  expect_refused(Conv{{1}, {0, 0}, {kHuge}, 1}, {x, w}, Reason::BadAttribute);
  expect_refused(Conv{{1}, {0, 0}, {1}, kHuge}, {x, w}, Reason::BadAttribute);
  expect_refused(Conv{{1}, {kMaxTensorBytes, 0}, {1}, 1}, {x, w}, Reason::TensorTooLarge);
  expect_refused(ConvTranspose{{kMaxTensorBytes}, {0, 0}, {1}, {0}, 1}, {x, w},
                 Reason::TensorTooLarge);
  expect_refused(Pool{PoolFn::Max, {kHuge}, {1}, {0, 0}, {1}}, {x}, Reason::BadAttribute);
  expect_refused(Tile{{1, 1, kHuge}}, {x}, Reason::BadAttribute);
  expect_refused(Tile{{kMaxTensorBytes, 1, 1}}, {x}, Reason::TensorTooLarge);
  expect_refused(Pad{PadMode::Constant, {kHuge, 0, 0, kHuge, 0, 0}}, {x}, Reason::BadAttribute);
  expect_refused(Reshape{{kHuge, kHuge, 2}}, {x}, Reason::TensorTooLarge);
  expect_refused(Expand{{kHuge, 1, 8}}, {x}, Reason::TensorTooLarge);
  expect_refused(Expand{Ints(17, 1)}, {f32({})}, Reason::RankTooHigh);
  expect_refused(Slice{{0, 0, 1}, {1, 1, kHuge}, {1, 1, 1}}, {x}, Reason::BadAttribute);
  expect_refused(DepthToSpace{kHuge}, {f32({1, 4, 2, 2})}, Reason::BadAttribute);
  expect_refused(SpaceToDepth{kHuge}, {f32({1, 4, 0, 0})}, Reason::SizeOverflow);
  expect_refused(Split{0, {kHuge, kHuge, 3}}, {x}, Reason::BadAttribute);
}

TEST(Infer, TransposedConvolutionUndoesTheWindowCount) {
  const ConvTranspose op{{2}, {1, 1}, {1}, {1}, 2};
  EXPECT_EQ(inferred(op, {f32({1, 4, 5}), f32({4, 3, 3})}), "f32[1, 6, 10]");
  expect_refused(op, {f32({1, 4, 5}), f32({5, 3, 3})}, Reason::ShapeMismatch);
  expect_refused(ConvTranspose{{1}, {9, 9}, {1}, {0}, 1}, {f32({1, 1, 5}), f32({1, 1, 3})},
                 Reason::ShapeMismatch);
  expect_refused(ConvTranspose{{1}, {0, 0}, {1}, {-1}, 1}, {f32({1, 1, 5}), f32({1, 1, 3})},
                 Reason::BadAttribute);
}

TEST(Infer, MatrixProductsFollowNumpy) {
  EXPECT_EQ(inferred(MatMul{}, {f32({2, 1, 3, 4}), f32({5, 4, 6})}), "f32[2, 5, 3, 6]");
  EXPECT_EQ(inferred(MatMul{}, {f32({4}), f32({4})}), "f32[]");
  EXPECT_EQ(inferred(MatMul{}, {f32({4}), f32({2, 4, 3})}), "f32[2, 3]");
  EXPECT_EQ(inferred(MatMul{}, {f32({2, 3, 4}), f32({4})}), "f32[2, 3]");
  expect_refused(MatMul{}, {f32({}), f32({4})}, Reason::ShapeMismatch);
  expect_refused(MatMul{}, {f32({2, 3}), f32({4, 2})}, Reason::ShapeMismatch);
  expect_refused(MatMul{}, {f32({2, 3, 4}), f32({3, 4, 2})}, Reason::ShapeMismatch);
  EXPECT_EQ(inferred(Gemm{1, 1, true, true}, {f32({4, 3}), f32({5, 4}), f32({5})}), "f32[3, 5]");
  expect_refused(Gemm{}, {f32({3, 4}), f32({4, 5}), f32({3})}, Reason::ShapeMismatch);
  expect_refused(Gemm{}, {f32({3, 4}), f32({5, 4})}, Reason::ShapeMismatch);
}

TEST(Infer, EinsumNamesItsAxes) {
  EXPECT_EQ(inferred(Einsum{"bij,bjk->kb"}, {f32({2, 3, 4}), f32({2, 4, 5})}), "f32[5, 2]");
  EXPECT_EQ(inferred(Einsum{"ii->i"}, {f32({3, 3})}), "f32[3]");
  expect_refused(Einsum{"ij,jk->ik"}, {f32({2, 3}), f32({4, 5})}, Reason::ShapeMismatch);
  expect_refused(Einsum{"ij->i"}, {f32({2})}, Reason::ShapeMismatch);
  expect_refused(Einsum{"ij,jk->ik"}, {f32({2, 3})}, Reason::BadAttribute);
  expect_refused(Einsum{"ij"}, {f32({2, 3})}, Reason::BadAttribute);
  expect_refused(Einsum{"ij->ii"}, {f32({2, 3})}, Reason::BadAttribute);
  expect_refused(Einsum{"ij->k"}, {f32({2, 3})}, Reason::BadAttribute);
  expect_refused(Einsum{"i...->i"}, {f32({2, 3})}, Reason::BadAttribute);
}

TEST(Infer, NormalizationsKeepTheTypeAndCheckTheirStatistics) {
  const TensorType x = f32({2, 6, 5}), c = f32({6});
  EXPECT_EQ(inferred(BatchNorm{}, {x, c, c, c, c}), "f32[2, 6, 5]");
  expect_refused(BatchNorm{}, {x, c, c, c, f32({5})}, Reason::ShapeMismatch);
  expect_refused(BatchNorm{-1}, {x, c, c, c, c}, Reason::BadAttribute);
  EXPECT_EQ(inferred(LayerNorm{1}, {x, f32({6, 5}), f32({5})}), "f32[2, 6, 5]");
  expect_refused(LayerNorm{2}, {x, c}, Reason::ShapeMismatch);
  expect_refused(LayerNorm{3}, {x, c}, Reason::BadAttribute);
  EXPECT_EQ(inferred(GroupNorm{3}, {x, c, c}), "f32[2, 6, 5]");
  expect_refused(GroupNorm{4}, {x, c, c}, Reason::BadAttribute);
}

TEST(Infer, ElementwiseTypesAreThoseOfOnnx) {
  const TensorType b{DType::Bool, {2}}, i{DType::I32, {2}}, u{DType::U8, {2}}, x = f32({2});
  EXPECT_EQ(inferred(Unary{UnaryFn::IsNan}, {x}), "bool[2]");
  EXPECT_EQ(inferred(Unary{UnaryFn::Abs}, {u}), "u8[2]");
  EXPECT_EQ(inferred(Unary{UnaryFn::Not}, {b}), "bool[2]");
  expect_refused(Unary{UnaryFn::Not}, {x}, Reason::WrongType);
  expect_refused(Unary{UnaryFn::Exp}, {i}, Reason::WrongType);
  expect_refused(Unary{UnaryFn::Neg}, {u}, Reason::WrongType);
  EXPECT_EQ(inferred(Activation{ActivationFn::Clip, 0, 6}, {i}), "i32[2]");
  expect_refused(Activation{ActivationFn::Elu, 1}, {i}, Reason::WrongType);
  EXPECT_EQ(inferred(Binary{BinaryFn::Less}, {f32({3, 1}), f32({4})}), "bool[3, 4]");
  EXPECT_EQ(inferred(Binary{BinaryFn::Pow}, {x, i}), "f32[2]");
  expect_refused(Binary{BinaryFn::Add}, {x, i}, Reason::WrongType);
  expect_refused(Binary{BinaryFn::Add}, {b, b}, Reason::WrongType);
  expect_refused(Binary{BinaryFn::And}, {i, i}, Reason::WrongType);
  expect_refused(Binary{BinaryFn::Add}, {f32({3}), f32({4})}, Reason::ShapeMismatch);
  EXPECT_EQ(inferred(Where{}, {{DType::Bool, {3, 1}}, i, i}), "i32[3, 2]");
  expect_refused(Where{}, {i, i, i}, Reason::WrongType);
  EXPECT_EQ(inferred(Cast{DType::BF16}, {i}), "bf16[2]");
  expect_refused(Softmax{1}, {x}, Reason::BadAttribute);
  expect_refused(LogSoftmax{0}, {i}, Reason::WrongType);
}

TEST(Infer, CeilModeLeavesOffWindowsThatBeginInThePadding) {
  Pool pool{PoolFn::Max, {2}, {2}, {0, 0}, {1}};
  EXPECT_EQ(inferred(pool, {f32({1, 1, 5})}), "f32[1, 1, 2]");
  pool.ceil_mode = true;
  EXPECT_EQ(inferred(pool, {f32({1, 1, 5})}), "f32[1, 1, 3]");
  pool.pads = {1, 1};  // windows at -1, 1, 3; the next would begin at 5
  EXPECT_EQ(inferred(pool, {f32({1, 1, 5})}), "f32[1, 1, 3]");
  pool.with_indices = true;
  EXPECT_EQ(inferred(pool, {f32({1, 1, 5})}), "f32[1, 1, 3] i64[1, 1, 3]");
  pool.fn = PoolFn::Average;
  expect_refused(pool, {f32({1, 1, 5})}, Reason::BadAttribute);
  expect_refused(Pool{PoolFn::Max, {9}, {1}, {0, 0}, {1}}, {f32({1, 1, 5})}, Reason::ShapeMismatch);
}

TEST(Infer, ReductionsDropOrKeepTheirAxes) {
  EXPECT_EQ(inferred(Reduce{ReduceFn::Mean, {0, 2}, true}, {f32({2, 3, 4})}), "f32[1, 3, 1]");
  EXPECT_EQ(inferred(Reduce{ReduceFn::Mean, {0, 2}, false}, {f32({2, 3, 4})}), "f32[3]");
  expect_refused(Reduce{ReduceFn::Sum, {2, 0}, true}, {f32({2, 3, 4})}, Reason::BadAttribute);
  expect_refused(Reduce{ReduceFn::Sum, {1, 1}, true}, {f32({2, 3, 4})}, Reason::BadAttribute);
  expect_refused(Reduce{ReduceFn::Sum, {-1}, true}, {f32({2, 3, 4})}, Reason::BadAttribute);
  EXPECT_EQ(inferred(ArgReduce{true, false, false, 1}, {f32({2, 3})}), "i64[2]");
  expect_refused(ArgReduce{true, false, false, 1}, {f32({2, 0})}, Reason::ShapeMismatch);
}

TEST(Infer, MovementChecksItsIndices) {
  const TensorType x = f32({2, 3, 4});
  EXPECT_EQ(inferred(Concat{1}, {x, f32({2, 5, 4})}), "f32[2, 8, 4]");
  expect_refused(Concat{1}, {x, f32({2, 5, 3})}, Reason::ShapeMismatch);
  expect_refused(Concat{1}, {x, f32({2, 5})}, Reason::ShapeMismatch);
  expect_refused(Concat{0}, {}, Reason::WrongInputCount);
  EXPECT_EQ(inferred(Split{2, {1, 3}}, {x}), "f32[2, 3, 1] f32[2, 3, 3]");
  expect_refused(Split{2, {1, 2}}, {x}, Reason::BadAttribute);
  expect_refused(Split{2, {-1, 5}}, {x}, Reason::BadAttribute);
  EXPECT_EQ(inferred(Slice{{1, 2, 0}, {1, 3, 0}, {1, -1, 5}}, {x}), "f32[1, 3, 0]");
  expect_refused(Slice{{0, 2, 0}, {1, 4, 1}, {1, -1, 1}}, {x}, Reason::BadAttribute);
  expect_refused(Slice{{0, 0, 0}, {1, 1, 1}, {1, 0, 1}}, {x}, Reason::BadAttribute);
  EXPECT_EQ(inferred(Gather{1}, {x, {DType::I64, {5, 6}}}), "f32[2, 5, 6, 4]");
  expect_refused(Gather{1}, {x, {DType::U8, {5}}}, Reason::WrongType);
  EXPECT_EQ(inferred(Reshape{{6, 4}}, {x}), "f32[6, 4]");
  expect_refused(Reshape{{5, 5}}, {x}, Reason::BadAttribute);
  expect_refused(Reshape{{-24, -1}}, {x}, Reason::NegativeDimension);
  EXPECT_EQ(inferred(Transpose{{2, 0, 1}}, {x}), "f32[4, 2, 3]");
  expect_refused(Transpose{{2, 0, 0}}, {x}, Reason::BadAttribute);
  expect_refused(Transpose{{3, 0, 1}}, {x}, Reason::BadAttribute);
  EXPECT_EQ(inferred(Expand{{7, 2, 3, 4}}, {f32({2, 1, 4})}), "f32[7, 2, 3, 4]");
  expect_refused(Expand{{2, 3, 1}}, {x}, Reason::BadAttribute);
  EXPECT_EQ(inferred(Tile{{2, 1, 0}}, {x}), "f32[4, 3, 0]");
  EXPECT_EQ(inferred(Pad{PadMode::Reflect, {1, 0, 3, 0, -2, 3}}, {x}), "f32[3, 1, 10]");
  expect_refused(Pad{PadMode::Reflect, {2, 0, 0, 0, 0, 0}}, {x}, Reason::BadAttribute);
  expect_refused(Pad{PadMode::Constant, {-2, 0, 0, -1, 0, 0}}, {x}, Reason::BadAttribute);
  EXPECT_EQ(inferred(DepthToSpace{2}, {f32({1, 8, 2, 3})}), "f32[1, 2, 4, 6]");
  EXPECT_EQ(inferred(SpaceToDepth{2}, {f32({1, 2, 4, 6})}), "f32[1, 8, 2, 3]");
  expect_refused(SpaceToDepth{2}, {f32({1, 2, 4, 5})}, Reason::BadAttribute);
}

TEST(Infer, ResizeRefusesWhatItDoesNotKnow) {
  const Resize good{{1, 6}, {1, 2}, "asymmetric", "floor"};
  EXPECT_EQ(inferred(good, {f32({1, 3})}), "f32[1, 6]");
  Resize bad = good;
  bad.coordinates = "tf_crop_and_resize";
  expect_refused(bad, {f32({1, 3})}, Reason::BadAttribute);
  bad = good;
  bad.rounding = "up";
  expect_refused(bad, {f32({1, 3})}, Reason::BadAttribute);
  bad = good;
  bad.scales = {1, 0};
  expect_refused(bad, {f32({1, 3})}, Reason::BadAttribute);
  expect_refused(good, {f32({1, 0})}, Reason::BadAttribute);
}

TEST(Infer, LeavesCarryTheirTypes) {
  EXPECT_EQ(inferred(Input{f32({1, 2})}, {}), "f32[1, 2]");
  EXPECT_EQ(inferred(Weight{Tensor::scalar<std::int32_t>(3)}, {}), "i32[]");
  expect_refused(Input{f32({-1})}, {}, Reason::NegativeDimension);
}

TEST(Broadcast, StretchesOnesFromTheEnd) {
  EXPECT_EQ(*broadcast({2, 1, 4}, {3, 1}), (Ints{2, 3, 4}));
  EXPECT_EQ(*broadcast({}, {5}), (Ints{5}));
  EXPECT_EQ(*broadcast({1}, {0}), (Ints{0}));
  EXPECT_EQ(broadcast({2}, {0}).rejection().reason(), Reason::ShapeMismatch);
}

}  // namespace
}  // namespace cambium::model

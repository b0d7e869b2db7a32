// Hand-computed results of the operators that move elements.
#include "model/reference/testing.h"

namespace cambium::model {
namespace {

TEST(ReferenceMovement, ConcatAndSplitAreInverse) {
  const Tensor x = counting({2, 3}), y = floats({2, 1}, {10, 11});
  const Tensor joined = run_one(Concat{1}, {x, y, floats({2, 0}, {})});
  expect_elements(joined, {2, 4}, {0, 1, 2, 10, 3, 4, 5, 11});
  const auto parts = *execute(Split{1, {3, 0, 1}}, std::vector<Tensor>{joined});
  ASSERT_EQ(parts.size(), 3u);
  expect_elements(parts[0], {2, 3}, {0, 1, 2, 3, 4, 5});
  expect_elements(parts[1], {2, 0}, {});
  expect_elements(parts[2], {2, 1}, {10, 11});
}

TEST(ReferenceMovement, SlicesStepInBothDirections) {
  const Tensor x = counting({3, 4});
  expect_elements(run_one(Slice{{2, 1}, {2, 2}, {-2, 2}}, {x}), {2, 2}, {9, 11, 1, 3});
  expect_elements(run_one(Slice{{1, 3}, {1, 0}, {kMaxTensorBytes, 1}}, {x}), {1, 0}, {});
  expect_elements(run_one(Slice{{1, 0}, {1, 1}, {kMaxTensorBytes, -kMaxTensorBytes}}, {x}), {1, 1},
                  {4});
}

TEST(ReferenceMovement, GatherCountsFromBothEnds) {
  const Tensor x = counting({2, 3});
  expect_elements(run_one(Gather{1}, {x, ints({2, 2}, {0, -1, 2, 1})}), {2, 2, 2},
                  {0, 2, 2, 1, 3, 5, 5, 4});
  expect_elements(run_one(Gather{0}, {x, Tensor::scalar<std::int32_t>(-2)}), {3}, {0, 1, 2});
}

TEST(ReferenceMovement, GatherRefusesIndicesOutOfRange) {
  for (const std::int64_t index : {3, -4}) {
    const auto result = execute(Gather{0}, std::vector<Tensor>{counting({3}), ints({1}, {index})});
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.rejection().reason(), Reason::IndexOutOfRange);
  }
}

TEST(ReferenceMovement, ReshapeSharesTheElements) {
  const Tensor x = counting({2, 3});
  const Tensor y = run_one(Reshape{{3, 2}}, {x});
  expect_elements(y, {3, 2}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(y.bytes().data(), x.bytes().data());
}

TEST(ReferenceMovement, TransposePermutes) {
  expect_elements(run_one(Transpose{{2, 0, 1}}, {counting({2, 2, 2})}), {2, 2, 2},
                  {0, 2, 4, 6, 1, 3, 5, 7});
  expect_elements(run_one(Transpose{{}}, {Tensor::scalar(7.0f)}), {}, {7});
}

TEST(ReferenceMovement, ExpandAndTileRepeat) {
  expect_elements(run_one(Expand{{2, 2, 2}}, {floats({2, 1}, {1, 2})}), {2, 2, 2},
                  {1, 1, 2, 2, 1, 1, 2, 2});
  expect_elements(run_one(Tile{{2, 2}}, {floats({1, 2}, {1, 2})}), {2, 4},
                  {1, 2, 1, 2, 1, 2, 1, 2});
  expect_elements(run_one(Tile{{0}}, {floats({2}, {1, 2})}), {0}, {});
}

TEST(ReferenceMovement, PadsInEveryMode) {
  const Tensor x = floats({3}, {1, 2, 3});
  expect_elements(run_one(Pad{PadMode::Constant, {1, 2}, 9}, {x}), {6}, {9, 1, 2, 3, 9, 9});
  expect_elements(run_one(Pad{PadMode::Edge, {1, 2}}, {x}), {6}, {1, 1, 2, 3, 3, 3});
  expect_elements(run_one(Pad{PadMode::Reflect, {2, 1}}, {x}), {6}, {3, 2, 1, 2, 3, 2});
  expect_elements(run_one(Pad{PadMode::Constant, {-1, 1}, 9}, {x}), {3}, {2, 3, 9});
  expect_elements(run_one(Pad{PadMode::Constant, {1, 0, 0, 1}, 9}, {counting({1, 2})}), {2, 3},
                  {9, 9, 9, 0, 1, 9});
  const Tensor i = Tensor::of<std::int64_t>({1}, {5});
  expect_elements(run_one(Pad{PadMode::Constant, {1, 0}, -2}, {i}), {2}, {-2, 5});
}

std::vector<double> resized(const std::string& coordinates, const std::string& rounding,
                            std::int64_t from, std::int64_t to, double scale = 0) {
  if (scale == 0) scale = static_cast<double>(to) / static_cast<double>(from);
  return run_one(Resize{{to}, {scale}, coordinates, rounding}, {counting({from})}).to_doubles();
}

TEST(ReferenceResize, FollowsCoordinatesAndRounding) {
  using Row = std::vector<double>;
  EXPECT_EQ(resized("asymmetric", "floor", 2, 4), (Row{0, 0, 1, 1}));
  EXPECT_EQ(resized("asymmetric", "ceil", 2, 4), (Row{0, 1, 1, 1}));
  // 0, 0.5, 1, 1.5: the two ways to round a half
  EXPECT_EQ(resized("asymmetric", "round_prefer_floor", 2, 4), (Row{0, 0, 1, 1}));
  EXPECT_EQ(resized("asymmetric", "round_prefer_ceil", 3, 6), (Row{0, 1, 1, 2, 2, 2}));
  EXPECT_EQ(resized("half_pixel", "round_prefer_floor", 4, 2), (Row{0, 2}));
  EXPECT_EQ(resized("half_pixel", "round_prefer_ceil", 4, 2), (Row{1, 3}));
  EXPECT_EQ(resized("pytorch_half_pixel", "round_prefer_floor", 4, 1), (Row{0}));
  EXPECT_EQ(resized("half_pixel", "ceil", 4, 1), (Row{2}));
  EXPECT_EQ(resized("align_corners", "floor", 3, 5), (Row{0, 0, 1, 1, 2}));
  EXPECT_EQ(resized("align_corners", "floor", 3, 1), (Row{0}));
  EXPECT_EQ(resized("half_pixel_symmetric", "round_prefer_floor", 4, 2, 0.6), (Row{1, 2}));
  EXPECT_EQ(resized("asymmetric", "floor", 5, 3, 1e-300), (Row{0, 4, 4}));  // clamped
}

TEST(ReferenceMovement, DepthAndSpaceAreInverse) {
  const Tensor x = counting({1, 8, 1, 2});
  expect_elements(run_one(DepthToSpace{2, false}, {x}), {1, 2, 2, 4},
                  {0, 4, 1, 5, 8, 12, 9, 13, 2, 6, 3, 7, 10, 14, 11, 15});
  expect_elements(run_one(DepthToSpace{2, true}, {x}), {1, 2, 2, 4},
                  {0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15});
  const Tensor back = run_one(SpaceToDepth{2}, {run_one(DepthToSpace{2, false}, {x})});
  EXPECT_EQ(back.fingerprint(), x.fingerprint());
}

}  // namespace
}  // namespace cambium::model

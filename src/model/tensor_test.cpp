#include "model/tensor.h"

#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "model/convert.h"

namespace cambium::model {
namespace {

TEST(TensorType, TextNamesElementTypeAndDimensions) {
  EXPECT_EQ((TensorType{DType::F32, {1, 3, 224, 224}}.text()), "f32[1, 3, 224, 224]");
  EXPECT_EQ((TensorType{DType::Bool, {}}.text()), "bool[]");
  EXPECT_EQ((TensorType{DType::I16, {2, 3}}.bytes()), 12);
}

TEST(TensorType, RefusesWhatNoTensorMayBe) {
  const auto reason = [](Ints dims) {
    return check_type({DType::F32, std::move(dims)}).rejection().reason();
  };
  EXPECT_EQ(reason({2, -1}), Reason::NegativeDimension);
  EXPECT_EQ(reason(Ints(17, 1)), Reason::RankTooHigh);
  EXPECT_EQ(reason({kMaxTensorBytes / 4 + 1}), Reason::TensorTooLarge);
  EXPECT_EQ(reason({0, kMaxTensorBytes}), Reason::TensorTooLarge);  // a zero excuses nothing
  EXPECT_TRUE(check_type({DType::F32, {kMaxTensorBytes / 4}}).ok());
  EXPECT_TRUE(check_type({DType::F32, {0, 5}}).ok());
}

TEST(Tensor, KeepsItsElements) {
  const Tensor tensor = Tensor::of<std::int32_t>({2, 2}, {1, -2, 3, 4});
  EXPECT_EQ(tensor.elements(), 4);
  EXPECT_EQ(tensor.as<std::int32_t>()[1], -2);
  EXPECT_EQ(tensor.to_ints(), (std::vector<std::int64_t>{1, -2, 3, 4}));
  EXPECT_EQ(tensor.to_doubles()[1], -2.0);
  EXPECT_EQ(tensor.fill(), std::nullopt);
  const Tensor view = tensor.reshaped({4});
  EXPECT_EQ(view.bytes().data(), tensor.bytes().data());
  EXPECT_NE(view.fingerprint(), tensor.fingerprint());
  EXPECT_EQ(tensor.fingerprint(), Tensor::of<std::int32_t>({2, 2}, {1, -2, 3, 4}).fingerprint());
}

TEST(Tensor, ConvertsHalvesAndBools) {
  EXPECT_EQ(Tensor::of<F16>({2}, {F16(1.5), F16(-2)}).to_doubles(), (std::vector<double>{1.5, -2}));
  EXPECT_EQ(Tensor::of<bool>({2}, {true, false}).to_ints(), (std::vector<std::int64_t>{1, 0}));
}

TEST(LazyTensor, CostsNothingUntilItIsRead) {
  const Tensor tensor = Tensor::lazy({DType::F32, {1 << 20, 1 << 10}}, {Fill::Law::Normal, 1, 7});
  EXPECT_EQ(tensor.type().bytes(), std::int64_t{1} << 32);
  EXPECT_EQ(tensor.fill()->seed, 7u);
}

TEST(LazyTensor, CountsInSteps) {
  const Tensor tensor = Tensor::stepped({2, 3}, {{2, 10}, {3, 1}});
  EXPECT_EQ(tensor.dtype(), DType::I64);
  EXPECT_EQ(tensor.to_ints(), (Ints{0, 1, 2, 10, 11, 12}));
  EXPECT_EQ(tensor.fingerprint(),
            Tensor::of<std::int64_t>({2, 3}, {0, 1, 2, 10, 11, 12}).fingerprint());
  EXPECT_EQ(tensor.fill(), std::nullopt);
  ASSERT_NE(tensor.steps(), nullptr);
  EXPECT_EQ(*tensor.reshaped({6}).steps(), *tensor.steps());
  EXPECT_EQ(Tensor::of<std::int64_t>({1}, {0}).steps(), nullptr);
  EXPECT_EQ(elements_of({}), Ints{0});
}

TEST(LazyTensor, FillsByItsLaw) {
  const auto filled = [](Fill fill, DType dtype = DType::F32) {
    return Tensor::lazy({dtype, {1000}}, fill);
  };
  for (const double x : filled({Fill::Law::Constant, 2.5}).to_doubles()) EXPECT_EQ(x, 2.5);
  double sum = 0, squares = 0;
  for (const double x : filled({Fill::Law::Uniform, 0.5, 1}).to_doubles()) {
    EXPECT_GE(x, -0.5);
    EXPECT_LE(x, 0.5);
    sum += x;
  }
  EXPECT_NEAR(sum / 1000, 0, 0.05);
  for (const double x : filled({Fill::Law::Normal, 3, 1}).to_doubles()) squares += x * x;
  EXPECT_NEAR(std::sqrt(squares / 1000), 3, 0.3);
  // The same rule gives the same elements; another seed gives others.
  EXPECT_EQ(filled({Fill::Law::Normal, 1, 5}).fingerprint(),
            filled({Fill::Law::Normal, 1, 5}).fingerprint());
  EXPECT_NE(filled({Fill::Law::Normal, 1, 5}).fingerprint(),
            filled({Fill::Law::Normal, 1, 6}).fingerprint());
  // A rule from a file may ask for what the element type cannot hold.
  EXPECT_EQ(filled({Fill::Law::Constant, 1e300}, DType::I32).to_ints()[0], 0x7fffffff);
}

TEST(LazyTensor, IsFilledOnceWhenSeveralThreadsReadIt) {
  for (int round = 0; round < 20; ++round) {
    const Tensor tensor = Tensor::lazy({DType::F32, {5000}}, {Fill::Law::Normal, 1, 3});
    const Tensor view = tensor.reshaped({50, 100});
    std::vector<const std::byte*> seen(4);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      threads.emplace_back([&, i] { seen[i] = (i % 2 == 0 ? tensor : view).bytes().data(); });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::byte* data : seen) EXPECT_EQ(data, seen[0]);
    EXPECT_EQ(tensor.bytes().size(), 20000u);
  }
}

TEST(Convert, FloatingToIntegerTruncatesAndSaturates) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(convert<std::int32_t>(-2.7), -2);
  EXPECT_EQ(convert<std::uint8_t>(300.0), 255);
  EXPECT_EQ(convert<std::uint8_t>(-3.0f), 0);
  EXPECT_EQ(convert<std::int64_t>(1e19), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(convert<std::int64_t>(-1e19f), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(convert<std::uint64_t>(std::ldexp(1.0, 64)), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(convert<std::int32_t>(nan), 0);
  EXPECT_EQ(convert<std::int8_t>(F16(200.0)), 127);
  EXPECT_TRUE(convert<bool>(nan));
  EXPECT_TRUE(convert<bool>(0.25));
  EXPECT_FALSE(convert<bool>(-0.0));
  EXPECT_EQ(convert<std::int8_t>(std::int32_t{300}), 44);
  EXPECT_EQ(convert<F16>(1.5f).bits, F16(1.5).bits);
  EXPECT_EQ(convert<double>(BF16(2.0)), 2.0);
}

}  // namespace
}  // namespace cambium::model

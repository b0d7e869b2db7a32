#include "lower/lower_testing.h"

#include <cmath>

#include <gtest/gtest.h>

#include "lower/operator_cases.h"

namespace cambium::lower {
namespace {

TEST(LowerTestingTest, ArraysStandInTheOrderOfMemory) {
  const auto tensor = model::Tensor::of<float>({2, 3}, {0, 1, 2, 10, 11, 12});
  const program::Array array = array_of(tensor, {1, 0});
  EXPECT_EQ(array.as_doubles(), (std::vector<double>{0, 10, 1, 11, 2, 12}));
  const auto back = tensor_of(array, tensor.type(), {1, 0});
  EXPECT_EQ(back.to_doubles(), tensor.to_doubles());
}

TEST(LowerTestingTest, OneWrongElementIsDisagreement) {
  const auto expected = model::Tensor::of<float>({3}, {1, 2, 4});
  EXPECT_LE(disagreement(model::Tensor::of<float>({3}, {1, 2, 4.00002f}), expected), 1);
  EXPECT_GT(disagreement(model::Tensor::of<float>({3}, {1, 2.0001f, 4}), expected), 1);
  EXPECT_GT(disagreement(model::Tensor::of<float>({3}, {1, NAN, 4}), expected), 1);
  EXPECT_GT(disagreement(model::Tensor::of<float>({3, 1}, {1, 2, 4}), expected), 1);
  const auto whole = model::Tensor::of<std::int64_t>({2}, {1, 1ll << 60});
  EXPECT_EQ(disagreement(whole, whole), 0);
  EXPECT_GT(disagreement(model::Tensor::of<std::int64_t>({2}, {1, (1ll << 60) + 1}), whole), 1);
}

}  // namespace
}  // namespace cambium::lower

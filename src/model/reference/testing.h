// For tests of the executor: short ways to write tensors and to compare results.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "model/reference/execute.h"

namespace cambium::model {

inline Tensor floats(Ints dims, const std::vector<float>& elements) {
  return Tensor::of<float>(std::move(dims), elements);
}

inline Tensor ints(Ints dims, const std::vector<std::int64_t>& elements) {
  return Tensor::of<std::int64_t>(std::move(dims), elements);
}

inline Tensor bools(Ints dims, const std::vector<bool>& elements) {
  return Tensor::of<bool>(std::move(dims), elements);
}

// 0, 1, 2, ...
inline Tensor counting(Ints dims) {
  const TensorType type{DType::F32, dims};
  std::vector<float> elements;
  for (std::int64_t i = 0; i < type.elements(); ++i) elements.push_back(static_cast<float>(i));
  return floats(std::move(dims), elements);
}

inline Tensor run_one(const Op& op, const std::vector<Tensor>& inputs) {
  auto results = execute(op, inputs);
  EXPECT_TRUE(results.ok()) << results.rejection().message();
  return results.ok() ? results->at(0) : Tensor::scalar<float>(0);
}

// Compares dimensions, and elements up to a relative error of `tolerance`; NaN equals NaN.
inline void expect_elements(const Tensor& actual, const Ints& dims,
                            const std::vector<double>& expected, double tolerance = 0) {
  EXPECT_EQ(actual.dims(), dims);
  const std::vector<double> elements = actual.to_doubles();
  ASSERT_EQ(elements.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::isnan(expected[i]) && std::isnan(elements[i])) continue;
    if (expected[i] == elements[i]) continue;
    EXPECT_NEAR(elements[i], expected[i], tolerance * std::fabs(expected[i])) << "element " << i;
  }
}

}  // namespace cambium::model

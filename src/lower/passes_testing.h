// Helpers for tests of passes: does a model still compute the same?
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "model/reference/execute.h"

namespace cambium::lower {

inline std::vector<model::Tensor> random_inputs(const model::Model& model, std::uint64_t seed) {
  std::vector<model::Tensor> inputs;
  for (const model::NodeId id : model.inputs()) {
    const model::TensorType& type = model.node(id).outputs[0];
    // Whole numbers are often token ids; zero is in every vocabulary.
    const model::Fill fill = is_floating(type.dtype)
                                 ? model::Fill{model::Fill::Law::Normal, 1.0, seed++}
                                 : model::Fill{model::Fill::Law::Constant, 0.0, 0};
    inputs.push_back(model::Tensor::lazy(type, fill));
  }
  return inputs;
}

// Expects equal outputs of both models on random inputs, up to `tolerance` of the largest
// magnitude.
inline void expect_same_function(const model::Model& expected, const model::Model& actual,
                                 double tolerance) {
  const std::vector<model::Tensor> inputs = random_inputs(expected, 7);
  const auto want = execute(expected, inputs);
  const auto have = execute(actual, inputs);
  ASSERT_TRUE(want.ok()) << want.rejection().message();
  ASSERT_TRUE(have.ok()) << have.rejection().message();
  ASSERT_EQ(want->size(), have->size());
  for (std::size_t i = 0; i < want->size(); ++i) {
    ASSERT_EQ((*want)[i].type(), (*have)[i].type());
    const std::vector<double> w = (*want)[i].to_doubles(), h = (*have)[i].to_doubles();
    double largest = 0;
    for (const double x : w) {
      if (std::isfinite(x)) largest = std::max(largest, std::fabs(x));
    }
    for (std::size_t e = 0; e < w.size(); ++e) {
      if (w[e] == h[e] || (std::isnan(w[e]) && std::isnan(h[e]))) continue;
      ASSERT_NEAR(w[e], h[e], tolerance * largest) << "output " << i << ", element " << e;
    }
  }
}

// The number of nodes of an operator in a model.
template <class Op>
int count_of(const model::Model& model) {
  int count = 0;
  for (const model::NodePtr& node : model.nodes()) count += node->as<Op>() != nullptr;
  return count;
}

}  // namespace cambium::lower

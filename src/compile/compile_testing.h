// Shared by the tests of compiled models: random inputs, and a comparison of outputs.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/features.h"
#include "compile/compile.h"
#include "model/reference/execute.h"
#include "model/zoo/zoo.h"

#define CAMBIUM_SKIP_WITHOUT_LLVM() \
  if (!require_feature("llvm").ok()) GTEST_SKIP() << "this build has no LLVM"

namespace cambium::compile {

inline std::vector<model::Tensor> random_inputs(const model::Model& model, std::uint64_t seed) {
  std::vector<model::Tensor> inputs;
  for (const model::NodeId id : model.inputs()) {
    const model::TensorType& type = model.node(id).outputs[0];
    if (is_floating(type.dtype)) {
      inputs.push_back(model::Tensor::lazy(type, {model::Fill::Law::Normal, 1.0, seed++}));
    } else {  // token ids: small enough for every vocabulary
      std::vector<std::int64_t> ids;
      for (std::int64_t i = 0; i < type.elements(); ++i) ids.push_back((i * 7 + 3) % 11);
      inputs.push_back(model::Tensor::of<std::int64_t>(type.dims, ids));
    }
  }
  return inputs;
}

// Outputs must be equal up to `tolerance` of their largest magnitude. Inputs are about 1: an output
// that is far smaller is a difference of such numbers and has their rounding errors.
inline void expect_near(const std::vector<model::Tensor>& want,
                        const std::vector<model::Tensor>& have, double tolerance) {
  ASSERT_EQ(want.size(), have.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    ASSERT_EQ(want[i].type(), have[i].type());
    const std::vector<double> w = want[i].to_doubles(), h = have[i].to_doubles();
    double largest = 0.01, worst = 0;
    for (std::size_t e = 0; e < w.size(); ++e) {
      largest = std::max(largest, std::fabs(w[e]));
      ASSERT_TRUE(std::isfinite(h[e]) || w[e] == h[e]) << "output " << i << ", element " << e;
      if (w[e] != h[e]) worst = std::max(worst, std::fabs(w[e] - h[e]));
    }
    EXPECT_LE(worst, tolerance * largest) << "output " << i << " of magnitude " << largest;
  }
}

inline void expect_native_equals_reference(const model::Model& model, const Options& options = {},
                                           double tolerance = 1e-4,
                                           const std::vector<std::string>& off = {}) {
  const auto lowered = lower_model(model, off);
  ASSERT_TRUE(lowered.ok()) << lowered.rejection().message();
  auto compiled = compile(*lowered, options);
  ASSERT_TRUE(compiled.ok()) << compiled.rejection().message();
  for (const KernelReport& kernel : compiled->kernels) {
    EXPECT_FALSE(kernel.is_plain) << kernel.fallback;
  }
  auto native = NativeModel::load(std::move(compiled).value());
  ASSERT_TRUE(native.ok()) << native.rejection().message();
  const std::vector<model::Tensor> inputs = random_inputs(model, 5);
  const auto want = execute(model, inputs);
  ASSERT_TRUE(want.ok()) << want.rejection().message();
  for (const int threads : {1, 2}) {
    ThreadPool pool(threads);
    for (int round = 0; round < 2; ++round) {  // nothing stays behind in the workspace
      const auto have = native->run(inputs, pool);
      ASSERT_TRUE(have.ok()) << have.rejection().message();
      SCOPED_TRACE(std::to_string(threads) + " threads");
      expect_near(*want, *have, tolerance);
    }
  }
}

}  // namespace cambium::compile

// How latencies compare on a machine that has nothing else to do.
#include <gtest/gtest.h>

#include "base/features.h"
#include "engine/search/latency.h"
#include "trial/operators.h"

namespace cambium::engine {
namespace {

TEST(Latency, OfAModelBesideItselfIsItsOwn) {
  if (!require_feature("llvm").ok()) GTEST_SKIP() << "needs LLVM";
  const auto small = trial::parse_operator("matmul(64x64x64, constant)");
  ASSERT_TRUE(small.ok());
  LatencyOptions options;
  options.beside = &small->model;
  const auto itself = measure_latency(small->model, options);
  ASSERT_TRUE(itself.ok()) << itself.rejection().message();
  EXPECT_GT(itself->speedup, 0.5);
  EXPECT_LT(itself->speedup, 2);
}

}  // namespace
}  // namespace cambium::engine

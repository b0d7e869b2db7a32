#include "engine/search/latency.h"

#include <gtest/gtest.h>

#include "base/features.h"
#include "base/scratch_folder_testing.h"
#include "engine/native.h"
#include "engine/tune.h"

namespace cambium::engine {
namespace {

// Otherwise what is measured after the first finals would run on better schedules than what was
// measured before, under the same key.
TEST(Latency, WithoutTrialsKnowsNothingOfWhatOthersHaveTuned) {
  if (!require_feature("llvm").ok()) GTEST_SKIP() << "needs LLVM";
  const ScratchFolder folder;
  const auto parsed = parse_operator("matmul(16x16x16, constant)");
  ASSERT_TRUE(parsed.ok());
  TuningOptions tuning;
  tuning.db = folder / "t.db";
  tuning.runner = CAMBIUM_RUNNER;
  tuning.trials = 4;
  tuning.strategy = "random";
  const auto tasks = tasks_of(parsed->model, {}, 1);
  ASSERT_TRUE(tasks.ok()) << tasks.rejection().message();
  ASSERT_TRUE(tune_tasks(*tasks, host_machine(), tuning).ok());
  NativeOptions native;
  native.db = tuning.db;
  const auto tuned = compile_model(parsed->model, native);
  ASSERT_TRUE(tuned.ok()) << tuned.rejection().message();
  ASSERT_TRUE(tuned->kernels.at(0).is_tuned);
  LatencyOptions options;
  options.db = tuning.db;
  const auto latency = measure_latency(parsed->model, options);
  ASSERT_TRUE(latency.ok()) << latency.rejection().message();
  EXPECT_EQ(latency->kernels, 1);
  EXPECT_EQ(latency->tuned, 0);
  EXPECT_EQ(latency->speedup, 0) << "there is nothing to compare it with";
}

TEST(Latency, IsComparedSideBySide) {
  if (!require_feature("llvm").ok()) GTEST_SKIP() << "needs LLVM";
  const auto small = parse_operator("matmul(64x64x64, constant)");
  ASSERT_TRUE(small.ok());
  LatencyOptions options;
  options.beside = &small->model;
  const auto itself = measure_latency(small->model, options);
  ASSERT_TRUE(itself.ok()) << itself.rejection().message();
  EXPECT_GT(itself->speedup, 0);
}

}  // namespace
}  // namespace cambium::engine

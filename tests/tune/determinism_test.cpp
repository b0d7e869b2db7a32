// The same seed gives the same search for any number of threads, with all rules and the model that
// is shipped.
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder_testing.h"
#include "real_tasks.h"
#include "tune/cost_model/xgboost_model.h"
#include "tune/testing/fake_bench.h"
#include "tune/testing/fake_memory.h"
#include "tune/tuner.h"

namespace cambium::tests {
namespace {

struct Found {
  std::vector<std::string> trials;  // in the order in which they were recorded
  std::vector<std::string> best;    // traces
  std::string model;                // what it learned
  double correlation = 0;
};

Found search(const std::string& strategy, int jobs, std::uint64_t seed) {
  tune::TuneOptions options;
  options.space = schedule::whole_space();
  options.machine = *machine_named("avx512");
  options.machine.cores = 4;
  options.strategy = strategy;
  options.trials = 24;
  options.batch = 8;
  options.jobs = jobs;
  options.seed = seed;
  auto model = tune::pretrained_model().value();
  tune::FakeBench bench(planted_seconds);
  tune::FakeMemory memory;
  const tune::TuneResult result =
      tune::tune(real_tasks({"C2D", "GMM"}), options, bench, memory, *model).value();
  Found found;
  found.trials = memory.log;
  for (const tune::TaskResult& task : result.tasks) {
    found.best.push_back(schedule::to_text(task.best.trace));
  }
  EXPECT_TRUE(result.quality.has_value()) << "the model has learned nothing";
  if (result.quality.has_value()) found.correlation = result.quality->rank_correlation;
  const ScratchFolder folder;
  EXPECT_TRUE(tune::save_model(*model, folder / "model").ok());
  found.model = *read_file(folder / "model");
  return found;
}

class RealSearch : public testing::TestWithParam<const char*> {};

TEST_P(RealSearch, IsTheSameForAnyNumberOfThreads) {
  if (!tune::pretrained_model().ok()) GTEST_SKIP() << "needs XGBoost";
  const Found first = search(GetParam(), 1, 3);
  EXPECT_EQ(first.trials.size(), 48U);
  for (const int jobs : {2, 4}) {
    const Found other = search(GetParam(), jobs, 3);
    EXPECT_EQ(other.trials, first.trials) << "jobs " << jobs;
    EXPECT_EQ(other.best, first.best) << "jobs " << jobs;
    EXPECT_EQ(other.correlation, first.correlation) << "jobs " << jobs;
    EXPECT_TRUE(other.model == first.model) << "jobs " << jobs << ": it learned something else";
  }
  EXPECT_NE(search(GetParam(), 2, 4).trials, first.trials) << "the seed decides nothing";
}

INSTANTIATE_TEST_SUITE_P(Strategies, RealSearch, testing::Values("evolution", "annealing"));

}  // namespace
}  // namespace cambium::tests

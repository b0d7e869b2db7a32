// A rule that computes something else, among all rules that there are, and a database in a file:
// no time of what it makes is ever recorded.
#include "tune/testing/wrong_rule.h"

#include <gtest/gtest.h>

#include "base/scratch_folder_testing.h"
#include "real_tasks.h"
#include "store/tuning_store.h"
#include "tune/database.h"
#include "tune/testing/fake_bench.h"
#include "tune/testing/small_space.h"
#include "tune/tuner.h"

namespace cambium::tests {
namespace {

TEST(WrongRule, NeverReachesTheDatabase) {
  const ScratchFolder folder;
  auto store = store::TuningStore::open(folder / "t.db");
  ASSERT_TRUE(store.ok());
  tune::TuneOptions options;
  options.space = schedule::whole_space();
  // What it makes is faster, and so preferred by every model.
  options.space.rules.insert(options.space.rules.begin(), tune::wrong_rule("i"));
  options.machine = *machine_named("avx512");
  options.trials = 24;
  tune::FakeBench bench([](const tune::Task& task, const schedule::Trace& trace) -> Result<double> {
    CAMBIUM_REQUIRE(tune::check_result(task, trace));
    return planted_seconds(task, trace);
  });
  tune::Database memory(*store, options.machine, "fake-1", 1);
  const auto model = tune::draft_only_model();
  const tune::Task task = tune::matmul_task();
  const auto result = tune::tune({task}, options, bench, memory, *model);
  ASSERT_TRUE(result.ok()) << result.rejection().message();
  int wrong = 0;
  const std::vector<store::Trial> trials = store->trials(memory.key_of(task)).value();
  for (const store::Trial& trial : trials) {
    const bool is_wrong = tune::is_wrong(trial.trace);
    wrong += is_wrong ? 1 : 0;
    EXPECT_EQ(trial.is_refused(), is_wrong) << trial.trace;
    EXPECT_EQ(trial.reason, is_wrong ? "WrongResult" : "");
  }
  EXPECT_GE(wrong, 3) << "it was not met";
  const auto best = tune::best_schedules(*store, memory.key_of(task));
  ASSERT_FALSE(best->empty());
  for (const tune::KnownSchedule& one : *best) {
    EXPECT_FALSE(tune::is_wrong(schedule::to_text(one.trace)));
  }
}

}  // namespace
}  // namespace cambium::tests

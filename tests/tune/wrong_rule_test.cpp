// A rule that computes something else, among all rules that there are, and a database in a file:
// no time of what it makes is ever recorded.
#include <gtest/gtest.h>

#include "base/scratch_folder_testing.h"
#include "program/interpret.h"
#include "real_tasks.h"
#include "store/tuning_store.h"
#include "tune/database.h"
#include "tune/testing/fake_bench.h"
#include "tune/testing/small_space.h"
#include "tune/tuner.h"

namespace cambium::tests {
namespace {

// What the real bench does before it times anything.
Result<double> checked(const tune::Task& task, const schedule::Trace& trace) {
  program::Context cx;
  const auto lowered = program::parse(cx, task.program).value();
  CAMBIUM_TRY(const schedule::Schedule made, schedule::replay(cx, lowered, trace));
  std::vector<program::Array> arguments;
  for (int i = 0; i < 2; ++i) {
    std::vector<float> values(64 * 64);
    Rng rng(static_cast<std::uint64_t>(i));
    for (float& value : values) value = static_cast<float>(rng.between(-4, 4));
    arguments.push_back(program::Array::of(std::move(values)));
  }
  const auto wanted = program::interpret(cx, lowered, arguments).value();
  const auto found = program::interpret(cx, made.program(), arguments);
  if (!found.ok() || (*found)[0].as_doubles() != wanted[0].as_doubles()) {
    return Rejection(Reason::WrongResult, "c", "planted");
  }
  return planted_seconds(task, trace);
}

TEST(WrongRule, NeverReachesTheDatabase) {
  const ScratchFolder folder;
  auto store = store::TuningStore::open(folder / "t.db");
  ASSERT_TRUE(store.ok());
  tune::TuneOptions options;
  options.space = schedule::whole_space();
  // Computes every other row only; what it makes is faster, and so preferred by every model.
  options.space.rules.insert(options.space.rules.begin(),
                             {"wrong", "leaves out half of the rows",
                              [](schedule::Draft& draft, const std::string&) -> Status {
                                if (draft.choose("halves", {"no", "yes"}) == 0) return Ok{};
                                CAMBIUM_REQUIRE(draft.apply(schedule::Bottleneck{"i", 2, true}));
                                return Ok{};
                              }});
  options.machine = *machine_named("avx512");
  options.trials = 24;
  tune::FakeBench bench(checked);
  tune::Database memory(*store, options.machine, "fake-1", 1);
  const auto model = tune::draft_only_model();
  const tune::Task task = tune::matmul_task();
  const auto result = tune::tune({task}, options, bench, memory, *model);
  ASSERT_TRUE(result.ok()) << result.rejection().message();
  int wrong = 0;
  const std::vector<store::Trial> trials = store->trials(memory.key_of(task)).value();
  for (const store::Trial& trial : trials) {
    const bool is_wrong = trial.trace.find("bottleneck") != std::string::npos;
    wrong += is_wrong ? 1 : 0;
    EXPECT_EQ(trial.is_refused(), is_wrong) << trial.trace;
    EXPECT_EQ(trial.reason, is_wrong ? "WrongResult" : "");
  }
  EXPECT_GE(wrong, 3) << "it was not met";
  const auto best = tune::best_schedules(*store, memory.key_of(task));
  ASSERT_FALSE(best->empty());
  for (const tune::KnownSchedule& one : *best) {
    EXPECT_EQ(schedule::to_text(one.trace).find("bottleneck"), std::string::npos);
  }
}

}  // namespace
}  // namespace cambium::tests

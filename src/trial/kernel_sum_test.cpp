#include "trial/kernel_sum.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/features.h"
#include "base/file.h"
#include "base/scratch_folder_testing.h"
#include "codegen/codegen.h"
#include "measure/ceilings.h"
#include "model/builder.h"
#include "model/operators.h"
#include "program/text.h"
#include "schedule/rules/space.h"
#include "store/tuning_store.h"
#include "trial/kernel_bench.h"
#include "tune/cost_model.h"
#include "tune/database.h"
#include "tune/tuner.h"

namespace cambium::trial {
namespace {

// A chain of products with a relu behind each: [16, widths[0]] -> [16, widths[1]] -> ...
model::Model chain(const std::vector<std::int64_t>& widths) {
  model::Builder b("chain");
  model::Value x = b.input("x", {DType::F32, {16, widths.at(0)}});
  for (std::size_t i = 1; i < widths.size(); ++i) {
    const model::Value w = b.weight("w" + std::to_string(i),
                                    model::Tensor::lazy({DType::F32, {widths[i - 1], widths[i]}},
                                                        {model::Fill::Law::Normal, 0.1, i}));
    x = b.add(model::Unary{model::UnaryFn::Relu}, {b.add(model::MatMul{}, {x, w})});
  }
  b.output("y", x);
  return std::move(b).finish().value();
}

// With a model that learns nothing, and without asking whether the compiler survives a candidate.
Status tune_for(const std::vector<TuningTask>& tasks, const Machine& machine,
                const KernelTimes::Setting& setting) {
  CAMBIUM_TRY(store::TuningStore store, store::TuningStore::open(setting.db));
  KernelBenchOptions how;
  how.runner = setting.runner;
  CAMBIUM_TRY(const std::unique_ptr<tune::Bench> bench, make_kernel_bench(machine, how));
  tune::TuneOptions options;
  CAMBIUM_TRY(options.space, schedule::space_named("whole"));
  options.trials = setting.trials;
  options.patience = 0;
  options.machine = machine;
  std::vector<tune::Task> plain;
  for (const TuningTask& task : tasks) {
    plain.push_back(task.task);
    CAMBIUM_REQUIRE(store.remember(
        {task.task.fingerprint, task.task.name, program::to_text(task.task.program)}));
  }
  tune::Database memory(store, machine, codegen::version(machine), setting.seed);
  CAMBIUM_REQUIRE(tune::tune(plain, options, *bench, memory, *tune::draft_only_model()));
  return Ok{};
}

KernelTimes table() {
  return KernelTimes(
      {[](const std::string& file) { return measure::with_ceilings(host_machine(), file); },
       tune_for});
}

class KernelTable : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!require_feature("llvm").ok()) GTEST_SKIP() << "needs LLVM";
    setting_.runner = CAMBIUM_RUNNER;
    setting_.db = folder_ / "kernels.tuning";
  }

  KernelSum sum(const model::Model& model, KernelTimes& times, int threads = 1) const {
    const auto lowered = compile::lower_model(model);
    EXPECT_TRUE(lowered.ok()) << lowered.rejection().message();
    const auto sum = kernel_sum(*lowered, threads, times, setting_);
    EXPECT_TRUE(sum.ok()) << sum.rejection().message();
    return sum.ok() ? *sum : KernelSum();
  }

  ScratchFolder folder_;
  KernelTimes::Setting setting_;
};

TEST_F(KernelTable, TimesEachDistinctKernelOnceForAllModels) {
  KernelTimes times = table();
  const KernelSum three = sum(chain({32, 32, 32, 8}), times);
  EXPECT_EQ(three.kernels, 2) << "the first two products are one kernel";
  EXPECT_EQ(three.calls, 3);
  EXPECT_EQ(times.timed(), 2);
  EXPECT_GT(three.seconds, 0);
  // Nothing of this model is new.
  const KernelSum two = sum(chain({32, 32, 8}), times);
  EXPECT_EQ(two.calls, 2);
  EXPECT_EQ(times.timed(), 2);
  EXPECT_LT(two.seconds, three.seconds);
  // One kernel of this one is.
  const KernelSum other = sum(chain({32, 32, 16}), times);
  EXPECT_EQ(other.kernels, 2);
  EXPECT_EQ(times.timed(), 3);
  EXPECT_EQ(sum(chain({32, 32, 32, 8}), times).seconds, three.seconds);
}

TEST_F(KernelTable, SumsTheTimesOfAllCalls) {
  KernelTimes times = table();
  const model::Model model = chain({32, 32, 32, 32, 8});
  const auto lowered = compile::lower_model(model);
  ASSERT_TRUE(lowered.ok()) << lowered.rejection().message();
  const auto tasks = tasks_of(*lowered, 1);
  ASSERT_TRUE(tasks.ok()) << tasks.rejection().message();
  const auto known = times.of(*tasks, setting_);
  ASSERT_TRUE(known.ok()) << known.rejection().message();
  ASSERT_EQ(known->size(), 2u);
  double seconds = 0, squares = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const double all = (*tasks)[i].task.weight * (*known)[i].seconds;
    seconds += all;
    squares += std::pow(all * (*known)[i].spread, 2);
  }
  const KernelSum whole = sum(model, times);
  EXPECT_EQ(whole.calls, 4);
  EXPECT_DOUBLE_EQ(whole.seconds, seconds);
  EXPECT_DOUBLE_EQ(whole.spread, std::sqrt(squares) / seconds);
}

// The weights of the smallest product stay in a cache nearer than the one that holds all weights.
TEST_F(KernelTable, AddsWhatWeightsTakeToCome) {
  KernelTimes times = table();
  const model::Model large = chain({32, 1024, 1024, 1024, 32});
  const KernelSum without = sum(large, times);
  EXPECT_EQ(without.traffic_seconds, 0) << "bandwidths are not known";
  setting_.machine_file = folder_ / "ceilings.json";
  const KernelSum with = sum(large, times);
  EXPECT_GT(with.traffic_seconds, 0);
  EXPECT_DOUBLE_EQ(with.seconds, without.seconds + with.traffic_seconds);
  EXPECT_EQ(times.timed(), with.kernels) << "the table holds times of kernels alone";
}

// As a worker that was killed, and the one that takes its place.
TEST_F(KernelTable, GoesOnFromTheDatabase) {
  KernelTimes killed = table();
  const double before = sum(chain({32, 32, 8}), killed).seconds;
  KernelTimes next = table();
  EXPECT_EQ(sum(chain({32, 32, 8}), next).seconds, before);
  EXPECT_EQ(next.timed(), 0);
  sum(chain({32, 32, 16}), next);
  EXPECT_EQ(next.timed(), 1) << "only what nobody has timed";
}

// What computes something else once does so again. A time limit may not strike again.
TEST_F(KernelTable, DoesNotTryAgainWhatCanNeverRun) {
  const auto lowered = compile::lower_model(chain({32, 24}));
  ASSERT_TRUE(lowered.ok()) << lowered.rejection().message();
  const auto tasks = tasks_of(*lowered, 1).value();
  const Machine machine = host_machine();
  const store::TuningKey key{tasks.at(0).task.fingerprint, fingerprint_of(machine), 1,
                             codegen::version(machine)};
  store::Trial trial;
  trial.strategy = "default";
  trial.scheduled = fingerprint_of("the default schedule");
  const auto refuse = [&](const char* reason) {
    trial.reason = reason;
    auto store = store::TuningStore::open(setting_.db).value();
    ASSERT_TRUE(store.add(key, trial).ok());
  };
  refuse("WrongResult");
  KernelTimes times = table();
  const auto refused = times.of(tasks, setting_);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.rejection().reason(), Reason::NoSchedule);
  EXPECT_EQ(times.timed(), 0) << "the database knows it";
}

TEST_F(KernelTable, WithoutADatabaseLastsAsLongAsTheWorker) {
  setting_.db.clear();
  KernelTimes times = table(), next = table();
  const double before = sum(chain({32, 32, 8}), times).seconds;
  EXPECT_EQ(sum(chain({32, 32, 8}), times).seconds, before);
  EXPECT_EQ(times.timed(), 2);
  sum(chain({32, 32, 8}), next);
  EXPECT_EQ(next.timed(), 2);
}

// Times of default schedules are not those of tuned ones, nor those of one thread those of two.
TEST_F(KernelTable, KeepsTrialsAndThreadsApart) {
  KernelTimes times = table();
  sum(chain({32, 32}), times);
  EXPECT_EQ(times.timed(), 1);
  setting_.trials = 3;
  setting_.machine_file = folder_ / "ceilings.json";
  const double tuned = sum(chain({32, 32}), times).seconds;
  EXPECT_EQ(times.timed(), 2);
  EXPECT_GT(tuned, 0);
  sum(chain({32, 32}), times, 2);
  EXPECT_EQ(times.timed(), 3);
  KernelTimes next = table();
  EXPECT_EQ(sum(chain({32, 32}), next).seconds, tuned);
  EXPECT_EQ(next.timed(), 0);
}

TEST_F(KernelTable, AModelThatComputesNothingTakesNoTime) {
  model::Builder b("nothing");
  b.output("y", b.input("x", {DType::F32, {4}}));
  KernelTimes times = table();
  const KernelSum nothing = sum(std::move(b).finish().value(), times);
  EXPECT_EQ(nothing.seconds, 0);
  EXPECT_EQ(nothing.calls, 0);
}

TEST_F(KernelTable, RefusesADatabaseThatIsNone) {
  setting_.db = folder_ / "text";
  ASSERT_TRUE(
      write_file(setting_.db, "no database at all, but longer than its header would be").ok());
  KernelTimes times = table();
  const auto refused = kernel_sum(*compile::lower_model(chain({32, 32})), 1, times, setting_);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.rejection().reason(), Reason::NotADatabase);
  EXPECT_EQ(times.timed(), 0);
}

}  // namespace
}  // namespace cambium::trial

#include "engine/tuned.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/features.h"
#include "base/file.h"
#include "base/scratch_folder_testing.h"
#include "codegen/codegen.h"
#include "engine/native.h"
#include "engine/programs.h"
#include "engine/tune.h"
#include "program/clone.h"
#include "program/fingerprint.h"
#include "schedule/defaults/default_schedule.h"
#include "schedule/rules/space.h"
#include "store/tuning_store.h"

namespace cambium::engine {
namespace {

namespace fs = std::filesystem;

class Tuned : public testing::Test {
 protected:
  // As if tuning had found this trace to be the fastest for a model's only program.
  void found(const std::string& trace, int threads = 1, bool is_stale = false) const {
    auto store = store::TuningStore::open(db_);
    ASSERT_TRUE(store.ok()) << store.rejection().message();
    store::Trial trial;
    trial.scheduled.low = ++count_;
    program::Context cx;
    const program::Program lowered = program::clone_into(cx, *task_.task.program);
    const auto read = schedule::parse_trace(trace);
    if (read.ok()) {
      const auto made = schedule::replay(cx, lowered, *read);
      if (made.ok()) trial.scheduled = program::fingerprint_of(made->program());
    }
    if (is_stale) trial.scheduled.low ^= 1;  // steps meant something else then
    trial.trace = trace;
    trial.strategy = "test";
    trial.samples = {{store::Protocol::Rank, 1e-6 / static_cast<double>(count_), 0.01, 8, 0}};
    const store::TuningKey key{task_.task.fingerprint, fingerprint_of(host_machine()), threads,
                               codegen::version(host_machine())};
    EXPECT_TRUE(store->add(key, trial).ok());
  }
  std::string plain_trace() const {
    program::Context cx;
    const program::Program lowered = program::clone_into(cx, *task_.task.program);
    return schedule::to_text(schedule::plain_schedule(cx, lowered)->trace());
  }
  compile::KernelReport compiled(int threads = 1) const {
    NativeOptions options;
    options.db = db_;
    options.threads = threads;
    auto made = compile_model(model_, options);
    EXPECT_TRUE(made.ok()) << made.rejection().message();
    return made->kernels[0];
  }

  const ScratchFolder folder_;
  const std::string db_ = folder_ / "tuned.db";
  mutable std::uint64_t count_ = 0;
  model::Model model_ = parse_operator("matmul(8x16x24, constant)")->model;
  TuningTask task_ = tasks_of(model_, {}, 1)->front();
};

#define NEEDS_LLVM() \
  if (!require_feature("llvm").ok()) GTEST_SKIP() << "needs LLVM"

TEST_F(Tuned, CompilingTakesTheBestOfTheDatabase) {
  NEEDS_LLVM();
  found(plain_trace());
  const compile::KernelReport kernel = compiled();
  EXPECT_TRUE(kernel.is_tuned);
  EXPECT_EQ(kernel.trace, plain_trace());
  EXPECT_EQ(kernel.fallback, "");
}

TEST_F(Tuned, AnotherNumberOfThreadsIsAnotherMatter) {
  NEEDS_LLVM();
  found(plain_trace(), 1);
  EXPECT_FALSE(compiled(2).is_tuned);
}

TEST_F(Tuned, AStaleTraceGivesWayToTheDefault) {
  NEEDS_LLVM();
  found("unroll(loop: gone)");
  const compile::KernelReport kernel = compiled();
  EXPECT_FALSE(kernel.is_tuned);
  EXPECT_NE(kernel.fallback.find("gone"), std::string::npos) << kernel.fallback;
}

TEST_F(Tuned, AStaleTraceGivesWayToTheNextBest) {
  NEEDS_LLVM();
  found(plain_trace());
  found("unroll(loop: gone)");  // the faster one
  const compile::KernelReport kernel = compiled();
  EXPECT_TRUE(kernel.is_tuned);
  EXPECT_EQ(kernel.trace, plain_trace());
  EXPECT_EQ(kernel.fallback, "");
}

TEST_F(Tuned, TheRulesMakeAgainWhatAStaleTraceDecided) {
  NEEDS_LLVM();
  program::Context cx;
  const program::Program lowered = program::clone_into(cx, *task_.task.program);
  const auto other =
      schedule::generate(cx, lowered, host_machine(), schedule::whole_space(), {.seed = 7});
  ASSERT_TRUE(other.ok()) << other.rejection().message();
  found("unroll(loop: gone)\n" + schedule::to_text(other->trace()));
  const compile::KernelReport kernel = compiled();
  EXPECT_TRUE(kernel.is_tuned);
  EXPECT_EQ(kernel.trace, schedule::to_text(other->trace()));
}

TEST_F(Tuned, ATraceThatMakesAnotherProgramNowIsNotTakenForWhatWasTimed) {
  NEEDS_LLVM();
  program::Context cx;
  const program::Program lowered = program::clone_into(cx, *task_.task.program);
  found(plain_trace());
  const auto other =
      schedule::generate(cx, lowered, host_machine(), schedule::whole_space(), {.seed = 7});
  found(schedule::to_text(other->trace()), 1, true);
  EXPECT_EQ(compiled().trace, plain_trace());
}

TEST_F(Tuned, AnUnreadableTraceCountsAsNone) {
  NEEDS_LLVM();
  found("this is no trace");
  EXPECT_FALSE(compiled().is_tuned);
  EXPECT_EQ(compiled().fallback, "");
}

// Without a database, with a trace that no longer replays, and with one that does.
TEST_F(Tuned, InspectingShowsWhatCompilingBuilds) {
  NEEDS_LLVM();
  const auto shown = [&](const std::string& db) {
    ProgramOptions options;
    options.which = "0";
    options.trace = true;
    options.assembly = true;
    options.db = db;
    const auto rows = inspect_programs(model_, options);
    EXPECT_TRUE(rows.ok()) << rows.rejection().message();
    return rows->at(0).texts;
  };
  const auto expect_equal = [&](const std::string& db) {
    NativeOptions options;
    options.db = db;
    const auto made = compile_model(model_, options);
    ASSERT_TRUE(made.ok()) << made.rejection().message();
    const auto texts = shown(db);
    EXPECT_EQ(texts.at(0).second, made->kernels[0].trace);
    codegen::ObjectCode code = made->objects[0];
    const auto backend = codegen::backend_for(host_machine());
    ASSERT_TRUE(backend.ok());
    std::string built = (*backend)->print_assembly(code, host_machine()).value();
    for (std::size_t at; (at = built.find(code.symbol)) != std::string::npos;) {
      built.replace(at, code.symbol.size(), "kernel");
    }
    EXPECT_EQ(texts.at(1).second, built);
  };
  expect_equal("");
  const std::string usual = shown("").at(0).second;
  found("unroll(loop: gone)");
  expect_equal(db_);
  EXPECT_EQ(shown(db_).at(0).second, usual);
  found(plain_trace());
  expect_equal(db_);
  EXPECT_EQ(shown(db_).at(0).second, plain_trace());
  EXPECT_NE(usual, plain_trace());
}

TEST_F(Tuned, RefusesADatabaseThatIsNotThereOrNone) {
  EXPECT_TRUE(schedules_from("", host_machine(), 1).ok());
  EXPECT_EQ(schedules_from(db_, host_machine(), 1).rejection().reason(), Reason::NotFound);
  ASSERT_TRUE(write_file(db_, std::string(5000, 'x')).ok());
  EXPECT_EQ(schedules_from(db_, host_machine(), 1).rejection().reason(), Reason::NotADatabase);
}

}  // namespace
}  // namespace cambium::engine

#include "engine/kernel_bench.h"

#include <chrono>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

#include "base/features.h"
#include "base/file.h"
#include "base/scratch_folder_testing.h"
#include "engine/operators.h"
#include "engine/tuning_tasks.h"
#include "program/text.h"
#include "schedule/defaults/default_schedule.h"

namespace cambium::engine {
namespace {

#define NEEDS_LLVM() \
  if (!require_feature("llvm").ok()) GTEST_SKIP() << "needs LLVM"

tune::Task task_from(std::string_view text, int threads = 1) {
  const auto parsed = parse_operator(text);
  EXPECT_TRUE(parsed.ok());
  auto task = task_of(parsed->model, parsed->layouts, threads);
  EXPECT_TRUE(task.ok()) << task.rejection().message();
  return task->task;
}

schedule::Trace trace_for(const tune::Task& task, bool is_plain = false) {
  program::Context cx;
  const auto lowered = program::parse(cx, task.program);
  auto made = is_plain ? schedule::plain_schedule(cx, *lowered)
                       : schedule::default_schedule(cx, *lowered, host_machine());
  EXPECT_TRUE(made.ok()) << made.rejection().message();
  return made->trace();
}

std::unique_ptr<tune::Bench> bench() {
  KernelBenchOptions options;
  options.runner = CAMBIUM_RUNNER;
  auto made = make_kernel_bench(host_machine(), options);
  EXPECT_TRUE(made.ok()) << made.rejection().message();
  return std::move(made).value();
}

std::unique_ptr<tune::Built> built(tune::Bench& bench, const tune::Task& task,
                                   const schedule::Trace& trace) {
  auto made = bench.build(task, trace);
  EXPECT_TRUE(made.ok()) << made.rejection().message();
  return std::move(made).value();
}

TEST(KernelBench, TimesWhatItHasChecked) {
  NEEDS_LLVM();
  // Constants that are packed, two outputs' worth of epilogue, no constants, a program that is too
  // large for the interpreter, and one whose plain loops round too much to vouch for it.
  for (const char* text :
       {"conv2d(1x16x8x8, 32, kernel 3, pad 1, bias, relu)", "matmul(32x48x24)", "softmax(20x30)",
        "conv2d(1x64x28x28, 64, kernel 3, pad 1)", "norm(4096x1024)"}) {
    const auto with = bench();
    const tune::Task task = task_from(text);
    const auto kernel = built(*with, task, trace_for(task));
    const auto timed = with->time(task, *kernel);
    ASSERT_TRUE(timed.ok()) << text << ": " << timed.rejection().message();
    EXPECT_GT(timed->value, 0) << text;
    EXPECT_LE(timed->max_error, 1) << text;
    EXPECT_EQ(timed->machine, fingerprint_of(host_machine()));
  }
}

TEST(KernelBench, ComparesFinalistsWithTheFirst) {
  NEEDS_LLVM();
  const auto with = bench();
  const tune::Task task = task_from("conv2d(1x32x14x14, 32, kernel 3, pad 1)");
  const auto fast = built(*with, task, trace_for(task));
  const auto slow = built(*with, task, trace_for(task, true));
  const auto times = with->compare(task, {fast.get(), slow.get(), fast.get()});
  ASSERT_EQ(times.size(), 3u);
  for (const auto& time : times) ASSERT_TRUE(time.ok()) << time.rejection().message();
  EXPECT_GT(times[1]->value, 2 * times[0]->value) << "plain loops are far slower";
  EXPECT_LT(times[2]->value, 1.5 * times[0]->value);
  const auto alone = with->compare(task, {fast.get()});
  ASSERT_EQ(alone.size(), 1u);
  EXPECT_TRUE(alone[0].ok()) << alone[0].rejection().message();
  EXPECT_TRUE(with->compare(task, {}).empty());
}

TEST(KernelBench, SeveralThreadsComputeTheSame) {
  NEEDS_LLVM();
  const auto with = bench();
  const tune::Task task = task_from("conv2d(1x16x8x8, 32, kernel 3, pad 1)", 2);
  const auto kernel = built(*with, task, trace_for(task));
  EXPECT_TRUE(with->time(task, *kernel).ok());
}

TEST(KernelBench, RefusesWhatComputesSomethingElse) {
  NEEDS_LLVM();
  const auto with = bench();
  const tune::Task sum = task_from("norm(16x16)"), other = [&] {
    tune::Task changed = sum;
    const std::size_t at = changed.program.find(" * ");
    EXPECT_NE(at, std::string::npos) << changed.program;
    changed.program.replace(at, 3, " + ");
    changed.fingerprint.low ^= 1;
    return changed;
  }();
  const auto kernel = built(*with, sum, trace_for(sum));
  const auto timed = with->time(other, *kernel);
  ASSERT_FALSE(timed.ok());
  EXPECT_EQ(timed.rejection().reason(), Reason::WrongResult);
  EXPECT_TRUE(with->time(sum, *kernel).ok()) << "one refusal costs one call";
}

TEST(KernelBench, ComparesTheOthersWhenAFinalistIsWrong) {
  NEEDS_LLVM();
  const auto with = bench();
  const tune::Task task = task_from("norm(16x16)");
  tune::Task other = task;
  other.program.replace(other.program.find(" * "), 3, " + ");
  const auto right = built(*with, task, trace_for(task));
  const auto wrong = built(*with, other, trace_for(other));
  const auto times = with->compare(task, {wrong.get(), right.get(), wrong.get(), right.get()});
  ASSERT_EQ(times.size(), 4u);
  for (const std::size_t i : {0u, 2u}) {
    ASSERT_FALSE(times[i].ok()) << i;
    EXPECT_EQ(times[i].rejection().reason(), Reason::WrongResult);
  }
  ASSERT_TRUE(times[1].ok() && times[3].ok());
  EXPECT_GT(times[1]->value, 0);
  EXPECT_LT(times[3]->value, 2 * times[1]->value);
}

TEST(KernelBench, BlamesNoCandidateWhenNothingIsKnownToCheckItAgainst) {
  NEEDS_LLVM();
  const auto with = bench();
  tune::Task task = task_from("matmul(8x8x8)");
  const auto kernel = built(*with, task, trace_for(task));
  task.program = "program {";
  const auto timed = with->time(task, *kernel);
  ASSERT_FALSE(timed.ok());
  EXPECT_EQ(timed.rejection().reason(), Reason::NoSchedule);
  EXPECT_TRUE(tune::is_fault_of_bench(timed.rejection().reason()));
  EXPECT_EQ(with->compare(task, {kernel.get()})[0].rejection().reason(), Reason::NoSchedule);
}

// What a task computes is found out once; a runner that was not there then is no answer.
TEST(KernelBench, AsksAgainWhatARunnerThatWasGoneCouldNotTell) {
  NEEDS_LLVM();
  const ScratchFolder folder;
  const std::string broken = folder / "broken", script = folder / "runner";
  ASSERT_TRUE(write_file(script, "#!/bin/sh\nif [ -e " + broken +
                                     " ]; then exit 1; fi\nexec timeout -s KILL 2 " CAMBIUM_RUNNER
                                     " \"$@\"\n")
                  .ok());
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  KernelBenchOptions options;
  options.runner = script;
  const auto with = make_kernel_bench(host_machine(), options);
  ASSERT_TRUE(with.ok()) << with.rejection().message();
  const tune::Task task = task_from("conv2d(1x64x28x28, 64, kernel 3, pad 1)");
  const auto kernel = built(**with, task, trace_for(task));
  ASSERT_TRUE(write_file(broken, "").ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));  // until it is dead
  const auto gone = (*with)->time(task, *kernel);
  ASSERT_FALSE(gone.ok());
  EXPECT_TRUE(tune::is_fault_of_runner(gone.rejection().reason())) << gone.rejection().message();
  ASSERT_TRUE(std::filesystem::remove(broken));
  const auto back = (*with)->time(task, *kernel);
  EXPECT_TRUE(back.ok()) << back.rejection().message();
}

TEST(KernelBench, RefusesTracesThatDoNotReplay) {
  NEEDS_LLVM();
  const auto with = bench();
  const tune::Task task = task_from("matmul(8x8x8)");
  const auto nowhere = with->build(task, schedule::parse_trace("unroll(loop: nowhere)").value());
  ASSERT_FALSE(nowhere.ok());
  EXPECT_EQ(nowhere.rejection().reason(), Reason::UnknownName);
  const auto unready = with->build(task, {});
  ASSERT_FALSE(unready.ok()) << "as lowered it is not ready for code generation";
  EXPECT_EQ(unready.rejection().reason(), Reason::InitNotDecomposed);
}

TEST(KernelBench, RefusesAMissingRunner) {
  NEEDS_LLVM();
  KernelBenchOptions options;
  options.runner = "/nonexistent/cambium-runner";
  EXPECT_EQ(make_kernel_bench(host_machine(), options).rejection().reason(), Reason::RunnerMissing);
}

}  // namespace
}  // namespace cambium::engine

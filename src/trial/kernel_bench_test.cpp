#include "trial/kernel_bench.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/scratch_folder_testing.h"
#include "program/text.h"
#include "trial/kernel_bench_testing.h"
#include "trial/models_testing.h"

namespace cambium::trial {
namespace {

// The same task, but its program adds where it should multiply.
tune::Task with_another_meaning(tune::Task task) {
  std::string text = program::to_text(task.program);
  const std::size_t at = text.find(" * ");
  EXPECT_NE(at, std::string::npos) << text;
  text.replace(at, 3, " + ");
  program::Context cx;
  task.program = program::SharedProgram(program::parse(cx, text).value());
  return task;
}

TEST(KernelBench, TimesWhatItHasChecked) {
  NEEDS_LLVM();
  // Constants that are packed, two outputs' worth of epilogue, no constants, a program that is too
  // large for the interpreter, and one whose plain loops round too much to vouch for it.
  for (const auto& made :
       {conv_task(16, 8, 32, true), matmul_task(32, 48, 24), softmax_task(20, 30),
        conv_task(64, 28, 64, false), norm_task(4096, 1024)}) {
    const auto with = bench();
    const tune::Task task = task_from(made);
    const auto kernel = built(*with, task, trace_for(task));
    const auto timed = with->time(task, *kernel);
    ASSERT_TRUE(timed.ok()) << task.name << ": " << timed.rejection().message();
    EXPECT_GT(timed->value, 0) << task.name;
    EXPECT_LE(timed->max_error, 1) << task.name;
    EXPECT_EQ(timed->machine, fingerprint_of(host_machine()));
  }
}

TEST(KernelBench, ComparesFinalistsWithTheFirst) {
  NEEDS_LLVM();
  const auto with = bench();
  const tune::Task task = task_from(conv_task(32, 14, 32, false));
  const auto fast = built(*with, task, trace_for(task));
  const auto slow = built(*with, task, trace_for(task, true));
  const auto times = with->compare(task, {fast.get(), slow.get(), fast.get()});
  ASSERT_EQ(times.size(), 3u);
  for (const auto& time : times) {
    ASSERT_TRUE(time.ok()) << time.rejection().message();
    EXPECT_GT(time->value, 0);
  }
  const auto alone = with->compare(task, {fast.get()});
  ASSERT_EQ(alone.size(), 1u);
  EXPECT_TRUE(alone[0].ok()) << alone[0].rejection().message();
  EXPECT_TRUE(with->compare(task, {}).empty());
}

TEST(KernelBench, SeveralThreadsComputeTheSame) {
  NEEDS_LLVM();
  const auto with = bench();
  const tune::Task task = task_from(conv_task(16, 8, 32, false, 2));
  const auto kernel = built(*with, task, trace_for(task));
  EXPECT_TRUE(with->time(task, *kernel).ok());
}

TEST(KernelBench, RefusesWhatComputesSomethingElse) {
  NEEDS_LLVM();
  const auto with = bench();
  const tune::Task sum = task_from(norm_task(16, 16));
  tune::Task other = with_another_meaning(sum);
  other.fingerprint.low ^= 1;
  const auto kernel = built(*with, sum, trace_for(sum));
  const auto timed = with->time(other, *kernel);
  ASSERT_FALSE(timed.ok());
  EXPECT_EQ(timed.rejection().reason(), Reason::WrongResult);
  EXPECT_TRUE(with->time(sum, *kernel).ok()) << "one refusal costs one call";
}

TEST(KernelBench, ComparesTheOthersWhenAFinalistIsWrong) {
  NEEDS_LLVM();
  const auto with = bench();
  const tune::Task task = task_from(norm_task(16, 16));
  const tune::Task other = with_another_meaning(task);
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
  EXPECT_GT(times[3]->value, 0);
}

TEST(KernelBench, BlamesNoCandidateWhenNothingIsKnownToCheckItAgainst) {
  NEEDS_LLVM();
  const auto with = bench();
  tune::Task task = task_from(matmul_task(8, 8, 8));
  const auto kernel = built(*with, task, trace_for(task));
  program::Context cx;
  const auto half_written = program::parse(cx, R"(
    program half(x0: f32[8] input, y0: f32[8] output) {
      for i in 4 { block b0(spatial i = i) { y0[i] = x0[i] } }
    })");
  ASSERT_TRUE(half_written.ok()) << half_written.rejection().message();
  task.program = program::SharedProgram(*half_written);
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
  const std::string number = folder / "number";  // of the runner's process
  ASSERT_TRUE(write_file(script, "#!/bin/sh\nif [ -e " + broken +
                                     " ]; then exit 1; fi\necho $$ > " + number +
                                     "\nexec " CAMBIUM_RUNNER " \"$@\"\n")
                  .ok());
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  KernelBenchOptions options;
  options.runner = script;
  const auto with = make_kernel_bench(host_machine(), options);
  ASSERT_TRUE(with.ok()) << with.rejection().message();
  const tune::Task task = task_from(conv_task(64, 28, 64, false));
  const auto kernel = built(**with, task, trace_for(task));
  ASSERT_TRUE(write_file(broken, "").ok());
  // Dead before we go on, but left for the bench to reap.
  const auto process = static_cast<pid_t>(std::stoi(read_file(number).value()));
  ASSERT_EQ(::kill(process, SIGKILL), 0);
  siginfo_t info = {};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOWAIT), 0);
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
  const tune::Task task = task_from(matmul_task(8, 8, 8));
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
}  // namespace cambium::trial

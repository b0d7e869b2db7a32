#include "base/process.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "base/process_testing.h"

namespace cambium {
namespace {

ProcessRequest shell(std::string script) {
  return {.argv = {"sh", "-c", std::move(script)}, .input = "", .limits = {}};
}

TEST(Process, GivesBackOutputErrorsAndExitCode) {
  const ProcessOutcome outcome = *run_process(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(outcome.output, "out\n");
  EXPECT_EQ(outcome.errors, "err\n");
  EXPECT_EQ(outcome.death, Death::Exited);
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.text(), "exit code 3");
  EXPECT_FALSE(outcome.succeeded());
}

TEST(Process, FeedsInputWhetherItIsReadOrNot) {
  const std::string text(3 << 20, 'x');
  ProcessRequest request = shell("wc -c");
  request.input = text;
  EXPECT_EQ(std::stoi(run_process(request)->output), 3 << 20);
  request.argv = {"true"};
  EXPECT_TRUE(run_process(request)->succeeded());
}

TEST(Process, ACrashIsAValue) {
  const ProcessOutcome outcome = *run_process(shell("kill -SEGV $$"));
  EXPECT_EQ(outcome.death, Death::Signalled);
  EXPECT_EQ(outcome.code, SIGSEGV);
  EXPECT_EQ(outcome.text(), "killed by SIGSEGV");
}

TEST(Process, AHangIsKilledWithEverythingItStarted) {
  ProcessRequest request = shell("sleep 600 & sleep 600");
  request.limits.wall_seconds = 0.3;
  const ProcessOutcome outcome = *run_process(request);
  EXPECT_EQ(outcome.death, Death::WallTime);
  EXPECT_LT(outcome.wall_seconds, 300);
}

TEST(Process, EndsWhenItIsToldTo) {
  std::atomic<bool> stop = false;
  ProcessRequest request{{"sleep", "600"}, "", {}};
  request.stop = &stop;
  std::thread soon([&stop] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop = true;
  });
  const auto outcome = run_process(request);
  soon.join();
  ASSERT_TRUE(outcome.ok()) << outcome.rejection().message();
  EXPECT_EQ(outcome->death, Death::WallTime);
  EXPECT_LT(outcome->wall_seconds, 300);
}

TEST(Process, WhatTheChildLeavesBehindIsKilledAndNotWaitedFor) {
  const ProcessOutcome outcome = *run_process(shell("sleep 600 & echo $!; exit 0"));
  EXPECT_TRUE(outcome.succeeded());
  EXPECT_LT(outcome.wall_seconds, 300);
  EXPECT_TRUE(comes_to_its_end(outcome.output)) << "it lives on";
}

TEST(Process, AMemoryHogMeetsItsLimit) {
  ProcessRequest request = shell("tail -n 1 /dev/zero");
  request.limits.memory_bytes = 64 << 20;
  const ProcessOutcome outcome = *run_process(request);
  EXPECT_EQ(outcome.death, Death::Memory) << outcome.text() << outcome.errors;
}

TEST(Process, LimitsReachWhatTheChildStartsAtOnce) {
  for (int i = 0; i < 20; ++i) {
    ProcessRequest request = shell("ulimit -d & ulimit -c; wait");
    request.limits.memory_bytes = 64 << 20;
    const std::string said = run_process(request)->output;
    EXPECT_TRUE(said == "65536\n0\n" || said == "0\n65536\n") << said;
  }
}

TEST(Process, AKillByNobodyWeKnowIsTakenForTheOutOfMemoryKiller) {
  EXPECT_EQ(run_process(shell("kill -KILL $$"))->death, Death::Memory);
}

TEST(Process, ABusyLoopMeetsItsLimitOfProcessorTime) {
  ProcessRequest request = shell("while :; do :; done");
  request.limits.cpu_seconds = 1;
  request.limits.wall_seconds = 60;
  EXPECT_EQ(run_process(request)->death, Death::CpuTime);
}

TEST(Process, AFloodOfOutputIsCut) {
  ProcessRequest request = shell("yes | head -c 1000000");
  request.limits.output_bytes = 1000;
  const ProcessOutcome outcome = *run_process(request);
  EXPECT_TRUE(outcome.succeeded());
  EXPECT_EQ(outcome.output.size(), 1000u);
  EXPECT_TRUE(outcome.output_cut);
  EXPECT_FALSE(outcome.errors_cut);
}

TEST(Process, RefusesWhatCannotBeStarted) {
  ProcessRequest request;
  request.argv = {"/nonexistent/program"};
  EXPECT_EQ(run_process(request).rejection().reason(), Reason::NotFound);
  request.argv = {"/etc/passwd"};
  EXPECT_EQ(run_process(request).rejection().reason(), Reason::Unstartable);
}

TEST(ProcessDeathTest, WorksWithStandardStreamsClosed) {
  EXPECT_EXIT(
      {
        ::close(0);
        ::close(1);
        ProcessRequest request = shell("cat; echo err >&2");
        request.input = "in";
        const ProcessOutcome outcome = *run_process(request);
        std::_Exit(outcome.output == "in" && outcome.errors == "err\n" ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Process, ManyThreadsMayStartProcessesAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([i] {
      const ProcessOutcome outcome = *run_process(shell("exit " + std::to_string(i)));
      EXPECT_EQ(outcome.code, i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace cambium

// Tasks, schedules and a bench for tests of the bench over native code.
#pragma once

#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "base/features.h"
#include "base/machine.h"
#include "program/clone.h"
#include "schedule/defaults/default_schedule.h"
#include "trial/kernel_bench.h"
#include "trial/tasks.h"

namespace cambium::trial {

#define NEEDS_LLVM() \
  if (!require_feature("llvm").ok()) GTEST_SKIP() << "needs LLVM"

inline tune::Task task_from(const Result<TuningTask>& made) {
  EXPECT_TRUE(made.ok()) << made.rejection().message();
  return made->task;
}

inline schedule::Trace trace_for(const tune::Task& task, bool is_plain = false) {
  program::Context cx;
  const program::Program lowered = program::clone_into(cx, *task.program);
  auto made = is_plain ? schedule::plain_schedule(cx, lowered)
                       : schedule::default_schedule(cx, lowered, host_machine());
  EXPECT_TRUE(made.ok()) << made.rejection().message();
  return made->trace();
}

inline std::unique_ptr<tune::Bench> bench() {
  KernelBenchOptions options;
  options.runner = CAMBIUM_RUNNER;
  auto made = make_kernel_bench(host_machine(), options);
  EXPECT_TRUE(made.ok()) << made.rejection().message();
  return std::move(made).value();
}

inline std::unique_ptr<tune::Built> built(tune::Bench& bench, const tune::Task& task,
                                          const schedule::Trace& trace) {
  auto made = bench.build(task, trace);
  EXPECT_TRUE(made.ok()) << made.rejection().message();
  return std::move(made).value();
}

}  // namespace cambium::trial

// How the times of candidates compare on a machine that has nothing else to do.
#include <gtest/gtest.h>

#include "trial/kernel_bench_testing.h"
#include "trial/models_testing.h"

namespace cambium::trial {
namespace {

TEST(KernelBench, PlainLoopsAreFarSlowerAndTheSameIsAsFastAsItself) {
  NEEDS_LLVM();
  const auto with = bench();
  const tune::Task task = task_from(conv_task(32, 14, 32, false));
  const auto fast = built(*with, task, trace_for(task));
  const auto slow = built(*with, task, trace_for(task, true));
  const auto times = with->compare(task, {fast.get(), slow.get(), fast.get()});
  ASSERT_EQ(times.size(), 3u);
  for (const auto& time : times) ASSERT_TRUE(time.ok()) << time.rejection().message();
  EXPECT_GT(times[1]->value, 2 * times[0]->value);
  EXPECT_LT(times[2]->value, 1.5 * times[0]->value);
}

}  // namespace
}  // namespace cambium::trial

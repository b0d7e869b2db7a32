#include "tune/known_times.h"

#include <fstream>

#include <gtest/gtest.h>

#include "base/scratch_folder_testing.h"
#include "tune/testing/fake_bench.h"

namespace cambium::bench {
namespace {

schedule::Trace trace_of(const std::string& loop) {
  return schedule::parse_trace("unroll(loop: " + loop + ")").value();
}

Result<double> planted(const tune::Task&, const schedule::Trace& trace) {
  if (schedule::to_text(trace).find("bad") != std::string::npos) {
    return Rejection(Reason::KernelCrashed, "planted");
  }
  return 2e-3;
}

// Seconds, or nothing where it was refused.
std::optional<double> seconds(KnownTimes& bench, const tune::Task& task, const std::string& loop) {
  const auto built = bench.build(task, trace_of(loop));
  if (!built.ok()) return std::nullopt;
  const auto time = bench.time(task, **built);
  return time.ok() ? std::optional(time->value) : std::nullopt;
}

TEST(KnownTimes, TimeEveryScheduleOnceAlsoAcrossRuns) {
  const ScratchFolder folder;
  tune::FakeBench real(planted);
  tune::Task task, other;
  other.threads = 2;
  {
    KnownTimes bench(real, folder / "times");
    EXPECT_EQ(seconds(bench, task, "i"), 2e-3);
    EXPECT_EQ(seconds(bench, task, "i"), 2e-3);
    EXPECT_EQ(real.times, 1);
    EXPECT_EQ(seconds(bench, other, "i"), 2e-3);
    EXPECT_EQ(real.times, 2);
  }
  std::ofstream(folder / "times", std::ios::app) << "{\"key\": cut o";
  KnownTimes again(real, folder / "times");
  EXPECT_EQ(seconds(again, task, "i"), 2e-3);
  EXPECT_EQ(real.times, 2);
  EXPECT_EQ(real.builds, 2);
}

TEST(KnownTimes, RememberRefusalsButNotFaultsOfTheBench) {
  const ScratchFolder folder;
  tune::FakeBench real(planted);
  const tune::Task task;
  KnownTimes bench(real, folder / "times");
  EXPECT_EQ(seconds(bench, task, "bad"), std::nullopt);
  const auto again = bench.build(task, trace_of("bad"));
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.rejection().reason(), Reason::TriedBefore);
  EXPECT_EQ(real.times, 1);
  real.build_fault = [](const tune::Task&, const schedule::Trace&) {
    return std::optional(Rejection(Reason::RunnerMissing, "planted"));
  };
  EXPECT_EQ(seconds(bench, task, "k"), std::nullopt);
  real.build_fault = nullptr;
  EXPECT_EQ(seconds(bench, task, "k"), 2e-3);
}

}  // namespace
}  // namespace cambium::bench

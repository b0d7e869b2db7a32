// Random schedules of everything that the zoo is made of compute what the operators do.
#include <iostream>
#include <set>

#include <gtest/gtest.h>

#include "schedule/neural/random_testing.h"
#include "sequence.h"
#include "zoo_cases.h"

namespace cambium {
namespace {

constexpr std::uint64_t kUsual = 2000;
constexpr int kMostFailures = 3;

void print(std::uint64_t count, std::string_view what, const StepCounts& counts) {
  StepCount sum;
  for (const auto& [name, steps] : counts) {
    sum.accepted += steps.accepted;
    sum.refused += steps.refused;
  }
  std::cout << count << " sequences over " << what << ": " << sum.accepted << " steps accepted, "
            << sum.refused << " refused\n";
}

// Case after case, each in turn in its own layout and with channels last, until there were `count`
// sequences.
void expect_kept(const std::vector<ZooCase>& cases, std::uint64_t count, std::string_view what) {
  StepCounts counts;
  int failures = 0;
  std::uint64_t done = 0;
  for (; done < count && failures < kMostFailures; ++done) {
    const ZooCase& given = cases[done % cases.size()];
    program::Context cx;
    const auto start = lowered_in_turn(cx, given, done + done / cases.size());
    ASSERT_TRUE(start.ok()) << given.name << ": " << start.rejection().message();
    schedule::Schedule schedule(cx, *start);
    const auto arguments = whole_arguments(*start, done);
    const std::string wrong = apply_random_steps(schedule, *start, arguments, done, counts);
    EXPECT_EQ(wrong, "") << given.name << ", sequence " << done;
    failures += wrong.empty() ? 0 : 1;
  }
  print(done, std::to_string(cases.size()) + std::string(what), counts);
}

TEST(ZooSchedules, OperatorsKeepWhatTheyCompute) {
  const auto cases = zoo_operators();
  ASSERT_TRUE(cases.ok()) << cases.rejection().message();
  expect_kept(*cases, sequences_asked(kUsual) / 2, " operators of the zoo");
}

TEST(ZooSchedules, FusionGroupsKeepWhatTheyCompute) {
  const auto cases = zoo_groups();
  ASSERT_TRUE(cases.ok()) << cases.rejection().message();
  expect_kept(*cases, sequences_asked(kUsual) * 3 / 10, " fusion groups of the zoo");
}

// Random neural sequences draw their convolutions by a seed: those with the kernel, stride and
// padding of one of the zoo are taken. They draw no kernels larger than 4.
TEST(ZooSchedules, NeuralSequencesOfItsConvolutionsComputeWhatTheTableSays) {
  const auto all = zoo_convolutions();
  ASSERT_TRUE(all.ok()) << all.rejection().message();
  const std::set<ZooConv> wanted(all->begin(), all->end());
  std::set<ZooConv> met;
  StepCounts counts;
  std::uint64_t done = 0, neural = 0;
  for (std::uint64_t seed = 1; done < sequences_asked(kUsual) / 5; ++seed) {
    const schedule::ConvSpec spec = schedule::random_conv(seed);
    if (wanted.count({spec.k, spec.stride, spec.pad}) == 0) continue;
    met.insert({spec.k, spec.stride, spec.pad});
    ++done;
    program::Context cx;
    schedule::RandomNeural run = schedule::random_neural(cx, seed);
    ASSERT_EQ(run.error, "") << "seed " << seed;
    ASSERT_EQ(schedule::difference(cx, run.schedule.program(), run.table, seed), "")
        << "seed " << seed << "\n"
        << schedule::to_text(run.schedule.trace());
    neural += static_cast<std::uint64_t>(run.neural);
    // What keeps the meaning goes on where the network was changed.
    const auto arguments = whole_arguments(run.schedule.program(), seed);
    const program::Program origin = schedule::conv_program(cx, spec);
    ASSERT_EQ(apply_random_steps(run.schedule, origin, arguments, seed, counts), "")
        << "seed " << seed << "\n"
        << schedule::to_text(run.schedule.trace());
  }
  for (const ZooConv& conv : wanted) {
    EXPECT_EQ(met.count(conv), conv.kernel <= 4 ? 1U : 0U)
        << conv.kernel << " by " << conv.stride << " with padding " << conv.pad;
  }
  print(done, std::to_string(met.size()) + " convolutions of the zoo with neural steps", counts);
  EXPECT_GT(neural, done);
}

}  // namespace
}  // namespace cambium

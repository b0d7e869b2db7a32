#include <cstdio>
#include <cstdlib>
#include <set>

#include <gtest/gtest.h>

#include "program/text.h"
#include "schedule/neural/random_testing.h"

namespace cambium::schedule {
namespace {

std::uint64_t cases() {
  const char* asked = std::getenv("CAMBIUM_PROPERTY_CASES");
  return asked != nullptr ? std::strtoull(asked, nullptr, 10) : 2000;
}

TEST(NeuralProperty, RandomSequencesComputeWhatTheTableSays) {
  const std::uint64_t count = cases();
  int neural = 0, replayed = 0;
  std::set<std::size_t> seen;  // which steps
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    Context cx;
    RandomNeural run = random_neural(cx, seed);
    const std::string trace = to_text(run.schedule.trace());
    ASSERT_EQ(run.error, "") << "seed " << seed << "\n"
                             << trace << program::to_text(cx, run.schedule.program());
    ASSERT_EQ(difference(cx, run.schedule.program(), run.table, seed), "")
        << "seed " << seed << "\n"
        << trace << program::to_text(cx, run.schedule.program());
    neural += run.neural;
    for (const Record& record : run.schedule.trace()) seen.insert(record.step.index());
    if (seed % 8 != 0) continue;
    const Result<Trace> parsed = parse_trace(trace);
    ASSERT_TRUE(parsed.ok()) << parsed.rejection().message();
    const Result<Schedule> again = replay(cx, conv_program(cx, run.table.spec()), *parsed);
    ASSERT_TRUE(again.ok()) << again.rejection().message() << "\n" << trace;
    EXPECT_EQ(program::to_text(cx, again->program()), program::to_text(cx, run.schedule.program()));
    ++replayed;
  }
  std::printf("%llu sequences, %d neural steps, %d replayed\n",
              static_cast<unsigned long long>(count), neural, replayed);
  EXPECT_GT(neural, static_cast<int>(count));
  for_each_step<Neural>([&](const Step& step) {
    EXPECT_TRUE(seen.contains(step.index())) << to_text(step) << " is never tried";
  });
}

}  // namespace
}  // namespace cambium::schedule

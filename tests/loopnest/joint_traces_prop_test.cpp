// One trace for both halves: the neural half that a document writes, then a loop half drawn from
// what the tuner draws from. Written and read, it replays from the convolution as it was lowered in
// the original network, to the same program to the last name.
#include <cstdio>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "base/machine.h"
#include "compile/lowered_model.h"
#include "nest_draws.h"
#include "program/canonical.h"
#include "program/fingerprint.h"
#include "program/text.h"
#include "schedule/rules/space.h"
#include "schedule/trace/schedule.h"

namespace cambium::tests {
namespace {

constexpr std::uint64_t kUsualTraces = 1000;
constexpr const char* kTraces = "CAMBIUM_NEST_TRACES";

struct TraceCounts {
  std::uint64_t replayed = 0, refused = 0, steps = 0;
};

// Draws a loop half for the nest of a network, and replays the whole.
void replay_joined(const compile::LoweredModel& lowered, std::uint64_t seed, TraceCounts& counts) {
  ASSERT_EQ(lowered.calls.calls.size(), 1u) << "one kernel computes all of it";
  const compile::Call& call = lowered.calls.calls[0];
  ASSERT_TRUE(call.rewriting.has_value());
  program::Context& cx = *lowered.cx;
  const program::Program kernel = program::canonical(cx, lowered.calls.kernels[call.kernel]);
  const schedule::Space space = schedule::whole_space();
  const auto machine = machine_named(machine_names()[seed % machine_names().size()]);
  ASSERT_TRUE(machine.ok());
  schedule::DraftOptions options;
  options.seed = seed;
  options.threads = 1 + static_cast<int>(seed % 2);
  const auto drawn = schedule::generate(cx, kernel, *machine, space, options);
  if (!drawn.ok()) {
    ++counts.refused;
    return;
  }
  // As `cambium export` writes them, and in a context that has seen nothing.
  const std::string program = program::to_text(cx, call.rewriting->original);
  const std::string trace = schedule::to_text(compile::joined(*call.rewriting, drawn->trace()));
  program::Context fresh;
  const auto original = program::parse(fresh, program);
  ASSERT_TRUE(original.ok()) << original.rejection().message();
  const auto read = schedule::parse_trace(trace);
  ASSERT_TRUE(read.ok()) << read.rejection().message();
  const auto again = schedule::replay(fresh, *original, *read);
  ASSERT_TRUE(again.ok()) << again.rejection().message() << "\n" << trace;
  ASSERT_EQ(program::to_text(fresh, again->program()), program::to_text(cx, drawn->program()))
      << trace;
  ASSERT_EQ(program::fingerprint_of(again->program()), program::fingerprint_of(drawn->program()));
  ++counts.replayed;
  counts.steps += read->size();
}

TEST(JointTraces, ReplayFromTheOriginalToTheLastName) {
  NestDraws draws;
  TraceCounts counts;
  const std::uint64_t count = cases_asked(kTraces, kUsualTraces);
  for (std::uint64_t number = 0; counts.replayed < count; ++number) {
    const NestCase c = draws.draw(number);
    SCOPED_TRACE(c.text());
    std::vector<model::Tensor> weights;
    for (const model::Ints& dims : weights_of(c)) weights.push_back(whole_tensor(dims, number));
    const auto behind = static_cast<Behind>(number % 3);
    const auto lowered = compile::lower_model(network_of(c, weights, behind));
    ASSERT_TRUE(lowered.ok()) << lowered.rejection().message();
    replay_joined(*lowered, number + 1, counts);
    if (testing::Test::HasFailure()) return;
  }
  std::printf("%llu joint traces replayed, of %.1f steps each; %llu draws were refused\n",
              static_cast<unsigned long long>(counts.replayed),
              static_cast<double>(counts.steps) / static_cast<double>(counts.replayed),
              static_cast<unsigned long long>(counts.refused));
  EXPECT_LT(counts.refused * 10, counts.replayed);
}

}  // namespace
}  // namespace cambium::tests

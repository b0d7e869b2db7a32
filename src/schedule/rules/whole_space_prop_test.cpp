// Whatever the rules decide: what they make is ready for code generation and computes the same.
#include <cstdlib>
#include <map>

#include <gtest/gtest.h>

#include "program/text.h"
#include "program/verify.h"
#include "program/walk.h"
#include "schedule/rules/small_operators_testing.h"
#include "schedule/rules/space.h"
#include "schedule/trace/step_memory.h"

namespace cambium::schedule {
namespace {

// CAMBIUM_SOAK_SCHEDULES=1000 makes it run longer.
std::uint64_t seeds() {
  const char* wanted = std::getenv("CAMBIUM_SOAK_SCHEDULES");
  return wanted == nullptr ? 20 : std::strtoull(wanted, nullptr, 10);
}

bool has_lanes(const Program& program) {
  bool found = false;
  program::for_each_stmt(program, [&](program::Stmt s, const auto&) {
    const program::Loop* loop = program::as_loop(s);
    found |= loop != nullptr && loop->how == program::LoopKind::Vectorized;
  });
  return found;
}

class WholeSpace : public testing::TestWithParam<std::string> {};

TEST_P(WholeSpace, DrawsSchedulesThatAreReadyAndComputeTheSame) {
  const Machine machine = *machine_named(GetParam());
  const Space space = whole_space();
  Context names;
  std::uint64_t drawn = 0, refused = 0;
  for (std::size_t o = 0; o < small_operators(names).size(); ++o) {
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
      Context cx;
      const Operator op = small_operators(cx)[o];
      DraftOptions options;
      options.seed = seed;
      options.threads = 1 + static_cast<int>(seed % 2);
      const auto made = generate(cx, op.program, machine, space, options);
      ++drawn;
      if (!made.ok()) {
        ++refused;
        continue;
      }
      ASSERT_TRUE(program::check(cx, made->program(), program::Stage::Ready).ok());
      ASSERT_EQ(difference(cx, op.program, made->program()), "")
          << op.name << ", seed " << seed << "\n"
          << to_text(made->trace());
      EXPECT_TRUE(has_lanes(made->program())) << op.name << ", seed " << seed << "\n"
                                              << to_text(made->trace());
    }
  }
  EXPECT_LT(refused * 20, drawn) << refused << " of " << drawn << " refused";
}

// How often decisions of each kind are drawn, by what they are called in the test below.
void count_kinds(const Trace& trace, std::map<std::string, int>& kinds) {
  for (const Record& record : trace) {
    const std::string* key = key_of(record.step);
    if (key == nullptr) continue;
    if (const auto* choice = std::get_if<SampleCategorical>(&record.step)) {
      if (key->ends_with("/reduction")) ++kinds["reduction " + choice->decision().option];
      if (key->starts_with("rfactor/") && key->ends_with("/part")) {
        ++kinds["part " + choice->decision().option];
      }
    }
    if (const auto* tile = std::get_if<SampleImperfectTile>(&record.step)) {
      ++kinds[tile->factors[0] * tile->factors[1] == tile->extent ? "even level" : "level tail"];
    }
    if (const auto* tile = std::get_if<SamplePartitionedTile>(&record.step)) {
      ++kinds[tile->factors[0] > 1 ? "row blocks" : "one row block"];
    }
  }
}

TEST_P(WholeSpace, DrawsEveryWayToSplitAReductionAndTilesWithTails) {
  const Machine machine = *machine_named(GetParam());
  const Space space = whole_space();
  Context names;
  std::map<std::string, int> kinds;
  for (std::size_t o = 0; o < small_operators(names).size(); ++o) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Context cx;
      const Operator op = small_operators(cx)[o];
      const DraftOptions options{.seed = seed, .threads = 2};
      const auto made = generate(cx, op.program, machine, space, options);
      if (made.ok()) count_kinds(made->trace(), kinds);
    }
  }
  for (const char* kind : {"reduction whole", "reduction in blocks", "reduction side by side",
                           "part none", "part outer", "even level", "level tail", "row blocks"}) {
    EXPECT_GE(kinds[kind], 3) << kind;
  }
}

// Neither what was proved before nor what steps made before shows in what comes out.
TEST_P(WholeSpace, DrawsTheSameInAContextThatHasSeenOtherSchedules) {
  const Machine machine = *machine_named(GetParam());
  const Space space = whole_space();
  Context names;
  for (std::size_t o = 0; o < small_operators(names).size(); ++o) {
    Context used;
    StepMemory memory;
    const Operator again = small_operators(used)[o];
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
      Context cx;
      const Operator op = small_operators(cx)[o];
      DraftOptions options;
      options.seed = seed;
      const auto fresh = generate(cx, op.program, machine, space, options);
      options.memory = &memory;
      const auto made = generate(used, again.program, machine, space, options);
      ASSERT_EQ(made.ok(), fresh.ok()) << op.name << ", seed " << seed;
      if (!made.ok()) {
        EXPECT_EQ(made.rejection().message(), fresh.rejection().message());
        continue;
      }
      ASSERT_EQ(to_text(made->trace()), to_text(fresh->trace())) << op.name << ", seed " << seed;
      ASSERT_EQ(program::to_text(used, made->program()), program::to_text(cx, fresh->program()))
          << op.name << ", seed " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, WholeSpace, testing::Values("avx512", "avx2"),
                         [](const auto& machine) { return machine.param; });

}  // namespace
}  // namespace cambium::schedule

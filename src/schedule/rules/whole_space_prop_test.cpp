// Whatever the rules decide: what they make is ready for code generation and computes the same.
#include <cstdlib>

#include <gtest/gtest.h>

#include "program/verify.h"
#include "program/walk.h"
#include "schedule/rules/small_operators.h"
#include "schedule/rules/space.h"

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

INSTANTIATE_TEST_SUITE_P(Machines, WholeSpace, testing::Values("avx512", "avx2"),
                         [](const auto& machine) { return machine.param; });

}  // namespace
}  // namespace cambium::schedule

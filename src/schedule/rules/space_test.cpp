#include "schedule/rules/space.h"

#include "program/text.h"
#include "schedule/step_testing.h"

namespace cambium::schedule {
namespace {

constexpr std::string_view kMatmulRelu = R"(
  program p(a: f32[12, 10] input, b: f32[10, 16] constant, y: f32[12, 16] output) {
    local t: f32[12, 16]
    for i in 12 { for j in 16 { for k in 10 {
      block t(spatial i = i, spatial j = j, reduce k = k) { t[i, j] += a[i, k] * b[k, j] init 0.0 }
    } } }
    for i.2 in 12 { for j.2 in 16 {
      block y(spatial i = i.2, spatial j = j.2) { y[i, j] = max(t[i, j], 0.0) }
    } }
  })";

// Splits the outermost loop of a block as sampled.
Rule split_outermost() {
  return {"split", "splits", [](Draft& draft, const std::string& block) -> Status {
            const std::string loop = block == "t" ? "i" : "i.2";
            const Ints factors = draft.perfect_tile("i", 12, 2, 12);
            CAMBIUM_REQUIRE(draft.apply(Split{loop, factors, Tail::Exact}));
            return Ok{};
          }};
}

struct Subject2 {
  Context cx;
  Program program = program::parse(cx, kMatmulRelu).value();
  Machine machine;

  Schedule make(const Space& space, const DraftOptions& options) {
    return generate(cx, program, machine, space, options).value();
  }
};

TEST(Space, GeneratesSchedulesThatAreReadyAndComputeTheSame) {
  Subject2 s;
  const Space space{{split_outermost()}};
  const Schedule schedule = s.make(space, {.seed = 3});
  EXPECT_TRUE(same_results(s.cx, s.program, schedule.program()));
  EXPECT_TRUE(program::check(s.cx, schedule.program(), program::Stage::Ready).ok());
  const Decisions decisions = decisions_of(schedule.trace());
  EXPECT_EQ(decisions.size(), 2U) << to_text(schedule.trace());
  EXPECT_TRUE(decisions.contains("split/t/i"));
  EXPECT_TRUE(decisions.contains("split/y/i"));
}

}  // namespace
}  // namespace cambium::schedule

#include "schedule/steps/canonical_names.h"

#include "program/canonical.h"
#include "program/fingerprint.h"
#include "schedule/steps/step_testing.h"
#include "schedule/trace/schedule.h"

namespace cambium::schedule {
namespace {

constexpr const char* kDense = R"(
program dense(image: f32[6] input, weight: f32[8, 6] constant, result: f32[8] output) {
  for o in 8 { for i in 6 {
    block sum(spatial o = o, reduce i = i) { result[o] += image[i] * weight[o, i] init 0.0 }
  } }
})";

TEST(CanonicalNames, AreThoseUnderWhichTheTunerKnowsTheProgram) {
  Context cx;
  Schedule schedule(cx, program::parse(cx, kDense).value());
  const Fingerprint before = program::fingerprint_of(schedule.program());
  const std::string wanted = program::to_text(cx, program::canonical(cx, schedule.program()));
  ASSERT_TRUE(schedule.apply(CanonicalNames{}).ok());
  EXPECT_EQ(program::to_text(cx, schedule.program()), wanted);
  EXPECT_EQ(program::fingerprint_of(schedule.program()), before);
  EXPECT_TRUE(schedule.apply(Split{"l0", {0, 2}, Tail::Exact}).ok());
}

TEST(CanonicalNames, JoinTracesOfEqualProgramsUnderOtherNames) {
  Context cx;
  const auto trace = parse_trace(
      "reorder(loops: [i, o])\ncanonical_names()\n"
      "split(loop: l1, factors: [0, 2], tail: exact) -> l1.0, l1.1\n");
  ASSERT_TRUE(trace.ok()) << trace.rejection().message();
  const auto made = replay(cx, program::parse(cx, kDense).value(), *trace);
  ASSERT_TRUE(made.ok()) << made.rejection().message();
  EXPECT_EQ(to_text(made->trace()), to_text(*trace));
}

}  // namespace
}  // namespace cambium::schedule

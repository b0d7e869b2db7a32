#include "schedule/trace/schedule.h"

#include "program/fingerprint.h"
#include "schedule/steps/step_testing.h"

namespace cambium::schedule {
namespace {

constexpr std::string_view kMatmulOf14 = R"(
  program matmul(a: f32[14, 5] input, b: f32[5, 6] constant, c: f32[14, 6] output) {
    for i in 14 { for j in 6 { for k in 5 {
      block c(spatial i = i, spatial j = j, reduce k = k) { c[i, j] += a[i, k] * b[k, j] init 0.0 }
    } } }
  })";

constexpr std::string_view kTrace =
    "split(loop: i, factors: [0, 6], tail: guard) -> i.0, i.1\n"
    "reorder(loops: [i.0, k, i.1, j])\n"
    "decompose_reduction(block: c, loop: k) -> c.init, i.1.2, j.2\n"
    "vectorize(loop: j)\n"
    "partition(loop: i.0, points: [2]) -> i.0, i.0.2\n";

// One of each kind of field. (A braced list of them takes compilers gigabytes.)
std::vector<Step> some_steps() {
  std::vector<Step> steps;
  steps.emplace_back(Split{"i", {0, 6, -3}, Tail::Peel});
  steps.emplace_back(Fuse{Names{"i", "j"}});
  steps.emplace_back(Fuse{Names{}});
  steps.emplace_back(Annotate{Part::Buffer, "t", "space", "a \"word\"\\\nand more", 0});
  steps.emplace_back(SetLayout{"w", Names{"d1 / 64", "d0", "d1 % 64"}});
  steps.emplace_back(LiftSelect{"b"});
  steps.emplace_back(Tensorize{"k", "6x4", 32});
  steps.emplace_back(Winograd{"c", 4});
  steps.emplace_back(Bottleneck{"i", 2, true});
  steps.emplace_back(Group{"o", "i", 4});
  return steps;
}

TEST(Trace, PrintsAndParsesTheSame) {
  const std::vector<Step> steps = some_steps();
  for (const Step& step : steps) {
    const std::string text = to_text(step);
    const auto trace = parse_trace(text);
    ASSERT_TRUE(trace.ok()) << text << ": " << trace.rejection().message();
    ASSERT_EQ(trace->size(), 1U);
    EXPECT_EQ(to_text((*trace)[0].step), text);
    EXPECT_EQ((*trace)[0].step.index(), step.index());
  }
  EXPECT_EQ(to_text(parse_trace(kTrace).value()), kTrace);
  EXPECT_EQ(to_text(steps[4]), "set_layout(buffer: w, dims: [\"d1 / 64\", d0, \"d1 % 64\"])");
}

TEST(Trace, KnowsEveryStepByItsName) {
  for_each_step<Step>([](const Step& step) {
    const auto trace = parse_trace(to_text(step));
    ASSERT_TRUE(trace.ok()) << to_text(step) << ": " << trace.rejection().message();
    EXPECT_EQ(trace->at(0).step.index(), step.index()) << to_text(step);
  });
}

TEST(Trace, MayBeIndentedAndCommented) {
  const auto trace = parse_trace("# tiles\n  unroll( loop : i )\n\n  vectorize(loop: j) # lanes\n");
  ASSERT_TRUE(trace.ok()) << trace.rejection().message();
  EXPECT_EQ(to_text(*trace), "unroll(loop: i)\nvectorize(loop: j)\n");
}

Rejection refusal(std::string_view text) {
  return parse_trace(text).rejection();
}

TEST(Trace, RefusesWhatItCannotRead) {
  EXPECT_EQ(refusal("melt(loop: i)").reason(), Reason::UnknownStep);
  EXPECT_EQ(refusal("split(loop: i, factors: [2, 3])").reason(), Reason::MissingField);
  const Rejection sign = refusal("unroll(loop: i)\nsplit(loop: i; factors: [2])");
  EXPECT_EQ(sign.reason(), Reason::BadSyntax);
  EXPECT_EQ(sign.number(0), 2);
  EXPECT_EQ(sign.number(1), 14);
  for (const std::string_view text :
       {"unroll", "unroll(", "unroll(loop: i, loop: j)", "unroll(loup: i)", "unroll(loop: 3)",
        "unroll(loop: \"i)", "split(loop: i, factors: [two], tail: guard)",
        "split(loop: i, factors: [99999999999999999999], tail: guard)",
        "split(loop: i, factors: [2], tail: torn)", "bottleneck(loop: i, factor: 2, accept: 1)",
        "unroll(loop: i) ->", "->"}) {
    EXPECT_EQ(refusal(text).reason(), Reason::BadSyntax) << text;
  }
}

TEST(Trace, SaysWhichFieldItDoesNotTake) {
  EXPECT_EQ(refusal("unroll(loup: i)").message(),
            "line 1, column 8: expected a field of unroll, found 'loup'");
  EXPECT_EQ(refusal("unroll(loop: i, loop: j)").message(),
            "line 1, column 17: expected each field once, found 'loop'");
  EXPECT_EQ(refusal("split(loop: i, factors: [2], tail: torn)").message(),
            "line 1, column 36: expected one of exact, guard, peel, found 'torn'");
}

TEST(Schedule, RecordsWhatItDoesAndReplaysIt) {
  Subject s(kMatmulOf14);
  const auto replayed = replay(s.context(), s.program(), parse_trace(kTrace).value());
  ASSERT_TRUE(replayed.ok()) << replayed.rejection().message();
  EXPECT_TRUE(same_results(s.context(), s.program(), replayed->program()));
  EXPECT_EQ(to_text(replayed->trace()), kTrace);
  const auto again = replay(s.context(), s.program(), replayed->trace());
  EXPECT_EQ(program::to_text(s.context(), again->program()),
            program::to_text(s.context(), replayed->program()));
}

TEST(Schedule, KeepsEverythingAfterARefusal) {
  Subject s(kMatmulOf14);
  Schedule schedule(s.context(), s.program());
  ASSERT_TRUE(schedule.apply(Unroll{"k"}).ok());
  const std::string before = program::to_text(s.context(), schedule.program());
  EXPECT_FALSE(schedule.apply(Vectorize{"k"}).ok());
  EXPECT_EQ(program::to_text(s.context(), schedule.program()), before);
  EXPECT_EQ(to_text(schedule.trace()), "unroll(loop: k)\n");
}

TEST(Schedule, SaysWhereATraceNoLongerFits) {
  Subject s(kMatmulOf14);
  const auto replayed = [&](std::string_view text) {
    return replay(s.context(), s.program(), parse_trace(text).value()).rejection();
  };
  const Rejection differs = replayed("split(loop: i, factors: [0, 6], tail: guard) -> i.0, i.2\n");
  EXPECT_EQ(differs.reason(), Reason::TraceDiffers);
  const Rejection missing = replayed("unroll(loop: i)\nunroll(loop: z)\n");
  EXPECT_EQ(missing.reason(), Reason::UnknownName);
  EXPECT_NE(missing.message().find("step 2: unroll(loop: z)"), std::string::npos)
      << missing.message();
}

}  // namespace
}  // namespace cambium::schedule

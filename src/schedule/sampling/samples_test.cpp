#include "schedule/sampling/samples.h"

#include <gtest/gtest.h>

#include "schedule/steps/step_testing.h"
#include "schedule/trace/schedule.h"

namespace cambium::schedule {
namespace {

constexpr std::string_view kCopyOf8 = R"(
  program p(x: f32[8] input, y: f32[8] output) {
    for i in 8 { block y(spatial i = i) { y[i] = x[i] } }
  })";

// One of each kind, decided.
std::vector<Step> one_of_each() {
  std::vector<Step> steps;
  steps.emplace_back(SampleCategorical{"a/b/k#2", {"no", "two words"}, {1, 3}, true, 1});
  steps.emplace_back(SamplePerfectTile{"k", 12, 3, 4, {2, 2, 3}});
  steps.emplace_back(SampleImperfectTile{"k", 13, 2, 4, {4, 4}});
  steps.emplace_back(SamplePartitionedTile{"k", 30, 3, 1, 16, 16, {1, 2, 16}});
  steps.emplace_back(SampleComputeLocation{"k", "b", {"root", "i.0", "inline"}, 1});
  steps.emplace_back(SampleLayout{"k", "w", {"as it is", "d1 / 64, d0, d1 % 64"}, {}, 1});
  steps.emplace_back(SampleMicroKernel{"k", {6, 14}, {4, 2}, {1, 1}, 0});
  return steps;
}

TEST(Samples, StandInTracesAndReplay) {
  Context cx;
  const Program program = program::parse(cx, kCopyOf8).value();
  Schedule schedule(cx, program);
  for (const Step& step : one_of_each()) {
    const auto made = schedule.apply(step);
    ASSERT_TRUE(made.ok()) << made.rejection().message();
    EXPECT_TRUE(made->empty());
  }
  ASSERT_TRUE(schedule.apply(Split{"i", {2, 4}, Tail::Exact}).ok());
  const std::string text = to_text(schedule.trace());
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "sample_categorical(key: \"a/b/k#2\", options: [no, \"two words\"], weights: [1, 3], "
            "structural: true, choice: 1)");
  const Trace parsed = parse_trace(text).value();
  EXPECT_EQ(to_text(parsed), text);
  const Schedule again = replay(cx, program, parsed).value();
  EXPECT_EQ(to_text(again.trace()), text);
  EXPECT_EQ(program::to_text(cx, again.program()), program::to_text(cx, schedule.program()));
}

TEST(Samples, ChangeNoProgram) {
  Context cx;
  const Program program = program::parse(cx, kCopyOf8).value();
  const std::string before = program::to_text(cx, program);
  Schedule schedule(cx, program);
  for (const Step& step : one_of_each()) ASSERT_TRUE(schedule.apply(step).ok());
  EXPECT_EQ(program::to_text(cx, schedule.program()), before);
}

Reason refusal(const Step& step) {
  Context cx;
  Schedule schedule(cx, program::parse(cx, kCopyOf8).value());
  return schedule.apply(step).rejection().reason();
}

TEST(Samples, RefuseDecisionsThatTheirLawCannotGive) {
  const auto expect_bad = [](const Step& step) {
    EXPECT_EQ(refusal(step), Reason::BadDecision) << to_text(step);
  };
  expect_bad(SampleCategorical{"k", {}, {}, false, 0});
  expect_bad(SampleCategorical{"k", {"a", "b"}, {}, false, 2});
  expect_bad(SampleCategorical{"k", {"a", "b"}, {}, false, -1});
  expect_bad(SampleCategorical{"k", {"a", "b"}, {1}, false, 0});
  expect_bad(SampleCategorical{"k", {"a", "b"}, {1, -1}, false, 0});
  expect_bad(SampleCategorical{"k", {"a", "b"}, {0, 0}, false, 0});
  expect_bad(SamplePerfectTile{"k", 12, 2, 64, {5, 2}});
  expect_bad(SamplePerfectTile{"k", 12, 2, 64, {2, 3, 2}});
  expect_bad(SamplePerfectTile{"k", 12, 2, 3, {3, 4}});
  expect_bad(SamplePerfectTile{"k", 12, 2, 64, {3, 2}});
  expect_bad(SamplePerfectTile{"k", 12, 2, 64, {-3, -4}});
  expect_bad(SamplePerfectTile{"k", 12, 9, 64, {12, 1, 1, 1, 1, 1, 1, 1, 1}});
  expect_bad(SamplePerfectTile{"k", 0, 2, 64, {0, 1}});
  expect_bad(SamplePerfectTile{"k", std::int64_t{1} << 41, 2, 64, {std::int64_t{1} << 41, 1}});
  expect_bad(SamplePerfectTile{"k", 12, 2, 0, {12, 1}});
  expect_bad(SampleImperfectTile{"k", 13, 2, 64, {3, 4}});
  expect_bad(SampleImperfectTile{"k", 13, 2, 64, {5, 4}});
  expect_bad(SampleImperfectTile{"k", 13, 2, 64, {1, 14}});
  expect_bad(SampleImperfectTile{"k", 13, 2, 3, {4, 4}});
  expect_bad(SampleImperfectTile{"k", 13, 2, 3, {13, 0}});
  expect_bad(SampleImperfectTile{"k", 13, 3, 3, {13, 1}});
  expect_bad(SamplePartitionedTile{"k", 30, 2, 1, 16, 32, {4, 8}});
  expect_bad(SamplePartitionedTile{"k", 30, 2, 1, 16, 8, {2, 16}});
  expect_bad(SamplePartitionedTile{"k", 30, 2, 2, 16, 64, {2, 16}});
  expect_bad(SamplePartitionedTile{"k", 30, 2, 1, 0, 64, {2, 15}});
  expect_bad(SampleComputeLocation{"k", "b", {"root"}, 1});
  expect_bad(SampleLayout{"k", "w", {"as it is"}, {}, 1});
  expect_bad(SampleMicroKernel{"k", {6, 14}, {4}, {}, 0});
  expect_bad(SampleMicroKernel{"k", {6, 0}, {4, 1}, {}, 0});
  expect_bad(SampleMicroKernel{"k", {6, 8}, {4, 1}, {}, 2});
}

template <class S>
Decision snapped(const S& sample, const Ints& numbers, const std::string& option = {}) {
  return sample.snap({numbers, option});
}

TEST(Samples, SnapOptionsByTextThenByRatioThenByPosition) {
  const SampleCategorical words{"k", {"small", "medium", "large"}, {}, false, 0};
  EXPECT_EQ(snapped(words, {0}, "large"), (Decision{{2}, "large"}));
  EXPECT_EQ(snapped(words, {1}, "huge"), (Decision{{1}, "medium"}));
  EXPECT_EQ(snapped(words, {7}, "huge"), (Decision{{2}, "large"}));
  EXPECT_EQ(snapped(words, {}, ""), (Decision{{0}, "small"}));
  const SampleCategorical numbers{"k", {"4", "16", "64"}, {}, false, 0};
  EXPECT_EQ(snapped(numbers, {0}, "60"), (Decision{{2}, "64"}));
  EXPECT_EQ(snapped(numbers, {2}, "9"), (Decision{{1}, "16"}));
  EXPECT_EQ(snapped(numbers, {2}, "many"), (Decision{{2}, "64"}));
}

TEST(Samples, SnapPlacesToTheirDepthButNeverToInline) {
  const SampleComputeLocation sample{"k", "b", {"root", "i", "j", "inline"}, 0};
  EXPECT_EQ(snapped(sample, {1}, "inline").option, "inline");
  EXPECT_EQ(snapped(sample, {1}, "gone").option, "i");
  EXPECT_EQ(snapped(sample, {3}, "gone").option, "j");
  const SampleComputeLocation loops{"k", "b", {"root", "i"}, 0};
  EXPECT_EQ(snapped(loops, {3}, "inline").option, "i");
}

TEST(Samples, SnapLayoutsByText) {
  const SampleLayout sample{"k", "w", {"as it is", "d1, d0"}, {}, 0};
  EXPECT_EQ(snapped(sample, {0}, "d1, d0"), (Decision{{1}, "d1, d0"}));
  EXPECT_EQ(snapped(sample, {5}, "d2, d1, d0"), (Decision{{1}, "d1, d0"}));
}

TEST(Samples, SnapMicroKernelsToTheNearestShape) {
  const SampleMicroKernel sample{"k", {14, 6, 8, 28}, {2, 4, 3, 1}, {}, 0};
  EXPECT_EQ(snapped(sample, {0}, "6x4").option, "6x4");
  EXPECT_EQ(snapped(sample, {0}, "7x4").option, "6x4");
  EXPECT_EQ(snapped(sample, {0}, "24x1").option, "28x1");
  EXPECT_EQ(snapped(sample, {2}, "").option, "8x3");
  EXPECT_EQ(snapped(sample, {9}, "x").option, "28x1");
}

TEST(Samples, SnapTilesOfAnotherExtentToNearDivisors) {
  const SamplePerfectTile sample{"k", 56, 3, 64, {}};
  EXPECT_EQ(snapped(sample, {4, 4, 4}).numbers, (Ints{2, 7, 4}));  // of 14 that are left, 7 is near
  EXPECT_EQ(snapped(sample, {3, 5, 6}).numbers, (Ints{2, 4, 7}));
  EXPECT_EQ(snapped(sample, {8}).numbers, (Ints{7, 1, 8}));
  EXPECT_EQ(snapped(sample, {9, 9, 2, 7}).numbers, (Ints{4, 2, 7})) << "the inner ones count";
  EXPECT_EQ(snapped(sample, {1, 1, -5}).numbers, (Ints{56, 1, 1}));
  const SamplePerfectTile narrow{"k", 56, 2, 4, {}};
  EXPECT_EQ(snapped(narrow, {1, 56}).numbers, (Ints{14, 4}));
  const SampleImperfectTile loose{"k", 13, 3, 6, {}};
  EXPECT_EQ(snapped(loose, {1, 5, 6}).numbers, (Ints{1, 3, 6}));
  EXPECT_EQ(snapped(loose, {1, 2, 8}).numbers, (Ints{2, 2, 6}));
  const SamplePartitionedTile partitioned{"k", 90, 3, 1, 16, 64, {}};
  EXPECT_EQ(snapped(partitioned, {9, 2, 5}).numbers, (Ints{2, 8, 6}));
}

// What must hold of every law, at random ones.
template <class S>
void expect_sound(S sample, Rng& rng) {
  Context cx;
  const Program program = program::parse(cx, kCopyOf8).value();
  const auto is_legal = [&](const Decision& decision) {
    S other = sample;
    other.decide(decision);
    return other.apply(cx, program).ok() && other.decision() == decision;
  };
  const Decision drawn = sample.draw(rng);
  sample.decide(drawn);
  EXPECT_TRUE(is_legal(drawn)) << to_text(Step(sample));
  EXPECT_EQ(sample.snap(drawn), drawn) << to_text(Step(sample)) << ": legal decisions stay";
  Ints noise;
  for (std::int64_t i = rng.between(0, 5); i > 0; --i) noise.push_back(rng.between(-3, 90));
  EXPECT_TRUE(is_legal(sample.snap({noise, "7x3"}))) << ::testing::PrintToString(noise);
  for (const Decision& near : sample.neighbours()) {
    EXPECT_FALSE(near == drawn);
    EXPECT_TRUE(is_legal(near)) << to_text(Step(sample));
  }
}

TEST(Samples, DrawSnapAndMoveToLegalDecisionsOnly) {
  Rng rng(11);
  for (int i = 0; i < 400; ++i) {
    const std::int64_t extent = rng.between(1, 200), parts = rng.between(1, 4);
    const std::int64_t innermost = rng.between(1, 40);
    expect_sound(SamplePerfectTile{"k", extent, parts, innermost, {}}, rng);
    expect_sound(SampleImperfectTile{"k", extent, parts, innermost, {}}, rng);
    const std::int64_t multiple = rng.between(1, 12), several = rng.between(2, 4);
    expect_sound(SamplePartitionedTile{"k",
                                       extent,
                                       several,
                                       rng.between(1, several - 1),
                                       multiple,
                                       std::max(multiple, innermost),
                                       {}},
                 rng);
    SampleMicroKernel kernels{"k", {}, {}, {}, 0};
    Names options;
    Ints weights;
    for (std::int64_t n = rng.between(1, 9); n > 0; --n) {
      kernels.rows.push_back(n + 1);
      kernels.vectors.push_back(rng.between(1, 6));
      options.push_back("o" + std::to_string(n));
      weights.push_back(rng.between(0, 4) + (n == 1 ? 1 : 0));
    }
    expect_sound(kernels, rng);
    expect_sound(SampleCategorical{"k", options, weights, false, 0}, rng);
    expect_sound(SampleComputeLocation{"k", "b", options, 0}, rng);
    expect_sound(SampleLayout{"k", "w", options, weights, 0}, rng);
  }
}

TEST(Samples, NeighboursOfTilesMoveOnePrimeFactor) {
  const SamplePerfectTile sample{"k", 12, 2, 4, {6, 2}};
  std::vector<Ints> found;
  for (const Decision& near : sample.neighbours()) found.push_back(near.numbers);
  EXPECT_EQ(found, (std::vector<Ints>{{3, 4}, {12, 1}}));  // 2 x 6 is too large inside
}

TEST(Samples, NeighboursOfImperfectTilesStepDoubleHalveAndDivide) {
  const SampleImperfectTile sample{"k", 56, 2, 64, {7, 8}};
  std::vector<Ints> found;
  for (const Decision& near : sample.neighbours()) found.push_back(near.numbers);
  EXPECT_EQ(found, (std::vector<Ints>{{8, 7}, {7, 9}, {14, 4}, {4, 16}, {4, 14}}));
}

TEST(Samples, NeighboursOfOptionsAreAllThatCanBeDrawn) {
  const SampleCategorical sample{"k", {"a", "b", "c", "d"}, {1, 0, 1, 1}, false, 2};
  std::vector<Decision> wanted = {{{0}, "a"}, {{3}, "d"}};
  EXPECT_EQ(sample.neighbours(), wanted);
}

TEST(Samples, NeighboursOfMicroKernelsAreNearestInEachDirection) {
  const SampleMicroKernel sample{"k", {4, 6, 8, 8, 12, 30}, {4, 4, 3, 2, 2, 1}, {}, 2};
  Names found;
  for (const Decision& near : sample.neighbours()) found.push_back(near.option);
  EXPECT_EQ(found, (Names{"6x4", "8x2", "12x2"}));
}

TEST(Samples, OfBadTracesHaveNoNeighbours) {
  EXPECT_TRUE((SampleCategorical{"k", {"a", "b"}, {1}, false, 9}.neighbours().empty()));
  EXPECT_EQ((SampleCategorical{"k", {"a", "b"}, {1}, false, 9}.decision().option), "");
  EXPECT_TRUE((SampleMicroKernel{"k", {6, 8}, {4}, {}, 1}.neighbours().empty()));
  EXPECT_TRUE((SamplePerfectTile{"k", 12, 2, 64, {0, 0}}.neighbours().empty()));
  EXPECT_TRUE((SampleImperfectTile{"k", 12, 2, 64, {}}.neighbours().empty()));
}

}  // namespace
}  // namespace cambium::schedule

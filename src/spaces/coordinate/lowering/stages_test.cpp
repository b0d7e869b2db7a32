#include "spaces/coordinate/lowering/stages.h"

#include <algorithm>
#include <cstdio>

#include <gtest/gtest.h>

#include "base/thread_seconds_testing.h"
#include "spaces/coordinate/lowering/known_testing.h"
#include "spaces/coordinate/lowering/text.h"

namespace cambium::spaces::coordinate {
namespace {

using namespace testing;

std::string stages(const Known& known, std::string_view at = {}) {
  const Problem problem = known.problem(at);
  const Operator op = known.op(problem);
  return stages_text(problem, op, stages_of(op, problem.bindings).value());
}

StagedCost cost(const Known& known, std::string_view at = {}) {
  const Problem problem = known.problem(at);
  const Operator op = known.op(problem);
  const StagedCost out =
      cost_of(op, stages_of(op, problem.bindings).value(), problem.bindings[0]).value();
  EXPECT_EQ(static_cast<double>(out.macs), fewest_macs(op, problem.bindings).value());
  return out;
}

TEST(Stages, ConvolutionIsOneStage) {
  EXPECT_EQ(stages(known("conv2d")),
            "y[n, co, h, w] = sum over r1 < Ci, r2 < k, r3 < k of x[n, r1, h + r2 - k/2, w + r3 - "
            "k/2] * w1[co, r1, r2, r3]\n");
  EXPECT_EQ(cost(known("conv2d")), (StagedCost{12 * 6 * 7 * 8 * 9, 12 * 8 * 9, 0}));
}

TEST(Stages, SumBeforeTheyUnfold) {
  EXPECT_EQ(stages(kFigure4),
            "z1[p1] = mean over r1 < s of x[r1*(H/s) + p1]\n"
            "y[h] = mean over r2 < k of z1[h + r2 - k/2]\n");
  EXPECT_EQ(cost(kFigure4).macs, (4 + 5) * 120 / 4);  // (1 + k/s) * H instead of k * H
}

// The stages of the notes, and the MACs that Syno's own metadata has for this place.
TEST(Stages, OfOperatorOneAreThoseThatAreKnown) {
  EXPECT_EQ(stages(known("operator1")),
            "z1[n, r1, r4, r5, p1, w] = sum over r2 < Ci/g of "
            "x[n, r1*(Ci/g) + r2, p1, w + r4 - k/2] * w2[r4, r5, r1*(Ci/g) + r2]\n"
            "y[n, co, h, w] = sum over r1 < g, r3 < k, r4 < k, r5 < Co/g/s of "
            "z1[n, r1, r4, r5, h + r3 - k/2, w] * w1[co, r1, r3, r4, r5]\n");
  EXPECT_EQ(cost(known("operator1"), "N=128, Ci=64, Co=64, H=56, W=56, k=3, g=32, s=2"),
            (StagedCost{7'475'822'592, 18'432 + 192, 128 * 32 * 56 * 56 * 3}));
}

TEST(Stages, OfOperatorTwoShiftWhatIsBetweenThem) {
  EXPECT_EQ(stages(known("operator2")),
            "z1[n, r1, r5, p1, w] = sum over r2 < Ci/g, r4 < k of "
            "x[n, r1*(Ci/g) + r2, p1, w + r4 - k/2] * w2[r4, r5, r1*(Ci/g) + r2]\n"
            "y[n, co, h, w] = sum over r1 < g, r3 < k, r5 < Co/g/s of "
            "z1[n, r1, r5, (h + r3 - k/2 + 1)%H, w] * w1[co, r1, r3, r5]\n");
  EXPECT_EQ(cost(known("operator2"), "N=1, Ci=64, Co=64, H=56, W=56, k=3, g=2, s=4").macs,
            56 * 56 * (2 * 8 * 32 * 3 + 64 * 2 * 3 * 8));
}

TEST(Stages, StrideBeforeTheyMultiply) {
  EXPECT_EQ(cost(known("strided_conv2d")), (StagedCost{2 * 4 * 3 * 4 * 3 * 9, 4 * 3 * 9, 0}));
  EXPECT_EQ(cost(known("dilated_conv2d")), (StagedCost{12 * 6 * 7 * 8 * 9, 12 * 8 * 9, 0}));
}

TEST(Stages, ThatOnlyMoveHaveNoMacs) {
  EXPECT_EQ(stages(known("pixel_shuffle")),
            "y[n, c, h, w] = x[n, (c*s + h%s)*s + w%s, h/s, w/s]\n");
  EXPECT_EQ(cost(known("pixel_shuffle")), (StagedCost{0, 0, 0}));
}

// Repeating what was computed costs nothing; computing it again would.
TEST(Stages, RepeatAfterTheyHaveComputed) {
  const Known repeated{
      "operator [Ci, H] -> [s, Co, H]\nout t, o, h\nsum i: Ci\nx i, h\nw1 o, i\nexpand t",
      "Ci=4, Co=8, H=10, s=2"};
  EXPECT_EQ(stages(repeated),
            "z1[co, h] = sum over r1 < Ci of x[r1, h] * w1[co, r1]\n"
            "y[s, co, h] = z1[co, h]\n");
  EXPECT_EQ(cost(repeated), (StagedCost{8 * 10 * 4, 8 * 4, 8 * 10}));
}

// U' X V: which side comes first depends on sizes, and is chosen for all bindings together.
TEST(Stages, AreOrderedBySizes) {
  const auto first_result = [](std::vector<std::string> bindings) {
    const Problem problem = problem_of("[I, J]", "[A, B]", bindings).value();
    const Operator op = parse(problem,
                              "operator [I, J] -> [A, B]\nout a, b\nsum i: I, j: J\n"
                              "x i, j\nw1 i, a\nw2 j, b")
                            .value();
    const std::vector<Stage> out = stages_of(op, problem.bindings).value();
    EXPECT_EQ(out.size(), 2u);
    const std::string text = stages_text(problem, op, out);
    return text.substr(0, text.find(']') + 1);
  };
  const std::string narrow = "I=20, J=20, A=2, B=10", wide = "I=20, J=20, A=30, B=10";
  EXPECT_EQ(first_result({narrow}), "z1[a, r2]");
  EXPECT_EQ(first_result({wide}), "z1[r1, b]");
  EXPECT_EQ(first_result({narrow, wide}), "z1[r1, b]");
  EXPECT_EQ(first_result({narrow, wide, narrow, narrow, narrow, narrow, narrow}), "z1[a, r2]");
}

TEST(Stages, RefuseSizesThatAreNoIntegers) {
  const Problem problem = known("operator1").problem();
  const Problem awkward = known("operator1").problem("N=1, Ci=6, Co=8, H=5, W=5, k=3, g=4, s=2");
  const auto out = stages_of(known("operator1").op(problem), awkward.bindings);
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.rejection().reason(), Reason::SizeNotInteger);
}

TEST(Stages, RefuseWhatIsTooLargeToOrder) {
  Operator op;
  op.coordinates.push_back({CoordinateKind::Output, kNoCoordinate, kNoCoordinate, {}, {}});
  for (int r = 0; r < 17; ++r) {
    op.coordinates.push_back({CoordinateKind::Reduce, kNoCoordinate, kNoCoordinate, {}, {}});
    op.data.push_back(r + 1);
  }
  op.data.push_back(0);
  const expr::Binding none;
  const auto out = stages_of(op, {&none, 1});
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.rejection().reason(), Reason::SizeOutOfRange);
}

TEST(Stages, RefuseMoreGrowthThanTheyCanOrder) {
  const expr::Size one;
  Operator op;
  op.coordinates.push_back({CoordinateKind::Output, kNoCoordinate, kNoCoordinate, one, one});
  CoordinateIndex last = 0;
  for (int i = 0; i < 64; ++i) {
    const auto next = static_cast<CoordinateIndex>(op.coordinates.size());
    op.coordinates.push_back({CoordinateKind::MergeHigh, last, kNoCoordinate, one, one});
    op.coordinates.push_back({CoordinateKind::MergeLow, last, kNoCoordinate, one, one});
    op.coordinates.push_back({CoordinateKind::Unfold, next, next + 1, one, one});
    last = next + 2;
  }
  op.data = {last};
  const expr::Binding none;
  const auto out = stages_of(op, {&none, 1});
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.rejection().reason(), Reason::SizeOutOfRange);
}

TEST(Stages, AreFoundInMicroseconds) {
  const Problem problem = known("operator1").problem();
  const Operator op = known("operator1").op(problem);
  const std::vector<expr::Binding> many(8, problem.bindings[0]);
  double best = 1e9;
  for (int round = 0; round < 20; ++round) {
    const double start = thread_seconds();
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(fewest_macs(op, many).ok());
    best = std::min(best, 1e6 * (thread_seconds() - start) / 20);
  }
  std::printf("OPERATOR 1 at 8 bindings: %.1f us\n", best);
  EXPECT_LT(best, 1000);  // a hundred times what it takes
}

}  // namespace
}  // namespace cambium::spaces::coordinate

#include "spaces/coordinate/lowering/stages.h"

#include <chrono>

#include <gtest/gtest.h>

#include "spaces/coordinate/lowering/hand_testing.h"

namespace cambium::spaces::coordinate {
namespace {

using Axes = std::vector<CoordinateIndex>;

std::vector<Stage> stages(const Hand& d) {
  return stages_of(d.op, d.problem.bindings).value();
}

StagedCost cost(const Hand& d) {
  const StagedCost out = cost_of(d.op, stages(d), d.problem.bindings[0]).value();
  if (d.problem.bindings.size() == 1) {
    EXPECT_EQ(static_cast<double>(out.macs), fewest_macs(d.op, d.problem.bindings).value());
  }
  return out;
}

TEST(Stages, ConvolutionIsOneStage) {
  const Hand d = conv2d("N=2, Ci=8, Co=16, H=10, W=12, k=3");
  const std::vector<Stage> out = stages(d);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].output, (Axes{kN, kO, kH, kW}));
  EXPECT_EQ(out[0].reductions.size(), 3u);
  EXPECT_EQ(cost(d), (StagedCost{2 * 16 * 10 * 12 * 8 * 9, 16 * 8 * 9, 0}));
}

// Figure 4: (1 + k/s) * H instead of k * H.
TEST(Stages, SumsBeforeItUnfolds) {
  Hand d("[H]", "[H/s]", {"H=120, k=5, s=4"});
  const CoordinateIndex k = d.reduce("k"), s = d.reduce("s");
  const CoordinateIndex window = d.unfold(0, k);
  d.data({d.split(s, window)});
  const std::vector<Stage> out = stages(d);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0], (Stage{{window + 1}, {}, {s}, {window}}));
  EXPECT_EQ(out[1], (Stage{{window}, {}, {k}, {0}}));
  EXPECT_EQ(cost(d).macs, (4 + 5) * 120 / 4);
}

// The two stages of the notes, and the MACs that Syno's own metadata has for this place.
TEST(Stages, OperatorOneIsTheTwoStagesThatAreKnown) {
  const Hand d = operator_1("N=128, Ci=64, Co=64, H=56, W=56, k=3, g=32, s=2");
  const CoordinateIndex g = 4, i = 5, a = 6, b = 7, c = 8, channel = 9, row = 10, column = 11;
  const std::vector<Stage> out = stages(d);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0], (Stage{{kN, channel, row, column}, {1}, {i}, {kN, g, c, row, kW, b}}));
  EXPECT_EQ(out[1], (Stage{{kN, g, c, row, kW, b}, {0}, {g, a, b, c}, {kN, kO, kH, kW}}));
  EXPECT_EQ(cost(d), (StagedCost{7'475'822'592, 18'432 + 192, 128 * 32 * 56 * 56 * 3}));
}

TEST(Stages, OperatorTwoShiftsWhatIsBetweenItsStages) {
  const Hand d = operator_2("N=1, Ci=64, Co=64, H=56, W=56, k=3, g=2, s=4");
  const CoordinateIndex g = 4, i = 5, a = 6, b = 7, c = 8, channel = 9, shifted = 11, column = 12;
  const std::vector<Stage> out = stages(d);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0], (Stage{{kN, channel, shifted, column}, {1}, {i, b}, {kN, g, c, shifted, kW}}));
  EXPECT_EQ(out[1], (Stage{{kN, g, c, shifted, kW}, {0}, {g, a, c}, {kN, kO, kH, kW}}));
  EXPECT_EQ(cost(d).macs, 56 * 56 * (2 * 8 * 32 * 3 + 64 * 2 * 3 * 8));
}

TEST(Stages, StrideIsTakenBeforeItIsMultiplied) {
  Hand d("[N, Ci, s*H]", "[N, Co, H]", {"N=1, Ci=4, Co=8, H=10, k=3, s=2"});
  const CoordinateIndex i = d.reduce("Ci"), a = d.reduce("k");
  d.data({0, i, d.unfold(d.stride(2, "s"), a)});
  d.weight({1, i, a});
  ASSERT_EQ(stages(d).size(), 1u);
  EXPECT_EQ(cost(d).macs, 8 * 10 * 4 * 3);
}

TEST(Stages, DilationCostsNothing) {
  Hand d("[N, Ci, H]", "[N, Co, H]", {"N=1, Ci=4, Co=8, H=10, k=3, s=2"});
  const CoordinateIndex i = d.reduce("Ci"), a = d.reduce("k");
  d.data({0, i, d.unfold(2, d.stride(a, "s"))});
  d.weight({1, i, a});
  ASSERT_EQ(stages(d).size(), 1u);
  EXPECT_EQ(cost(d).macs, 8 * 10 * 4 * 3);
}

TEST(Stages, MovementHasNoMacs) {
  Hand d("[s^2*C, H, W]", "[C, s*H, s*W]", {"C=3, H=4, W=5, s=2"});
  const CoordinateIndex hl = d.low(1, "s"), wl = d.low(2, "s"), hh = d.high(1, "s"),
                        wh = d.high(2, "s");
  d.data({d.split(d.split(0, hl), wl), hh, wh});
  const std::vector<Stage> out = stages(d);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0], (Stage{d.op.data, {}, {}, {0, 1, 2}}));
  EXPECT_EQ(cost(d), (StagedCost{0, 0, 0}));
}

// Repeating what is computed costs nothing; computing it again would.
TEST(Stages, RepeatsAfterItHasComputed) {
  Hand d("[Ci, H]", "[s, Co, H]", {"Ci=4, Co=8, H=10, s=2"});
  const CoordinateIndex i = d.reduce("Ci");
  d.data({i, 2});
  d.weight({1, i});
  const std::vector<Stage> out = stages(d);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[1], (Stage{{1, 2}, {}, {}, {0, 1, 2}}));
  EXPECT_EQ(cost(d), (StagedCost{8 * 10 * 4, 8 * 4, 8 * 10}));
}

// U' X V: which side comes first depends on sizes, and is chosen for all bindings together.
TEST(Stages, AreOrderedBySizes) {
  const auto first_weight = [](std::vector<std::string> bindings) {
    Hand d("[I, J]", "[A, B]", std::move(bindings));
    const CoordinateIndex i = d.reduce("I"), j = d.reduce("J");
    d.data({i, j});
    d.weight({i, 0});
    d.weight({j, 1});
    const std::vector<Stage> out = stages(d);
    EXPECT_EQ(out.size(), 2u);
    return out[0].weights[0];
  };
  const std::string narrow = "I=20, J=20, A=2, B=10", wide = "I=20, J=20, A=30, B=10";
  EXPECT_EQ(first_weight({narrow}), 0u);
  EXPECT_EQ(first_weight({wide}), 1u);
  EXPECT_EQ(first_weight({narrow, wide}), 1u);
  EXPECT_EQ(first_weight({narrow, wide, narrow, narrow, narrow, narrow, narrow}), 0u);
}

TEST(Stages, RefusesSizesThatAreNoIntegers) {
  Hand d = operator_1("N=1, Ci=6, Co=8, H=5, W=5, k=3, g=4, s=2");
  const auto out = stages_of(d.op, d.problem.bindings);
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.rejection().reason(), Reason::SizeNotInteger);
}

TEST(Stages, RefusesWhatIsTooLargeToOrder) {
  Hand d("[H]", "[H]", {"H=8, k=1"});
  CoordinateIndex last = 0;
  std::vector<CoordinateIndex> windows;
  for (int r = 0; r < 17; ++r) windows.push_back(d.reduce("k"));
  for (const CoordinateIndex w : windows) last = d.unfold(last, w);
  d.data({last});
  const auto out = stages_of(d.op, d.problem.bindings);
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.rejection().reason(), Reason::SizeOutOfRange);
}

TEST(Stages, AreFoundInMicroseconds) {
  const Hand d = operator_1("N=128, Ci=64, Co=64, H=56, W=56, k=3, g=32, s=2");
  std::vector<expr::Binding> many(8, d.problem.bindings[0]);
  double best = 1e9;
  for (int round = 0; round < 20; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(fewest_macs(d.op, many).ok());
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count() / 20);
  }
  std::printf("OPERATOR 1 at 8 bindings: %.1f us\n", best);
  EXPECT_LT(best, 1000);  // of tests on a busy machine; alone it takes a hundredth of that
}

}  // namespace
}  // namespace cambium::spaces::coordinate

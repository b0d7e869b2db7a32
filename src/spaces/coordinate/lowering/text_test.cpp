#include "spaces/coordinate/lowering/text.h"

#include <gtest/gtest.h>

#include "spaces/coordinate/lowering/draw.h"
#include "spaces/coordinate/lowering/known_testing.h"

namespace cambium::spaces::coordinate {
namespace {

using namespace testing;

std::string equation(const Known& known) {
  const Problem problem = known.problem();
  return equation_text(problem, known.op(problem));
}

std::string loops(const Known& known) {
  const Problem problem = known.problem();
  const Operator op = known.op(problem);
  return loops_text(problem, op, stages_of(op, problem.bindings).value());
}

TEST(Text, EquationSaysWhatIsSummed) {
  EXPECT_EQ(equation(known("operator2")),
            "y[n, co, h, w] = sum over r1 < g, r2 < Ci/g, r3 < k, r4 < k, r5 < Co/g/s of "
            "x[n, r1*(Ci/g) + r2, (h + r3 - k/2 + 1)%H, w + r4 - k/2] * w1[co, r1, r3, r5] * "
            "w2[r4, r5, r1*(Ci/g) + r2]\n");
  EXPECT_EQ(equation(known("average_pool2d")),
            "y[n, c, h, w] = mean over r1 < s, r2 < s of x[n, c, h*s + r1, w*s + r2]\n");
}

TEST(Text, EquationCentresWindows) {
  const Known dilated{"operator [H] -> [H]\nout h\nsum a: k\nx unfold(h, stride(a, s))\nw1 a",
                      "H=8, k=3, s=2"};
  EXPECT_EQ(equation(dilated),
            "y[h] = sum over r1 < k of x[h + r1*s - (k*s - s + 1)/2] * w1[r1]\n");
  const Known numbers{"operator [H] -> [H]\nout h\nsum a: 5\nx unfold(h, a)\nw1 a", "H=8"};
  EXPECT_EQ(equation(numbers), "y[h] = sum over r1 < 5 of x[h + r1 - 2] * w1[r1]\n");
}

TEST(Text, LoopsShowStagesAndConditions) {
  EXPECT_EQ(loops(kFigure4),
            "for p1 < H/s\n"
            "  z1[p1] = 0\n"
            "  for r1 < s\n"
            "    z1[p1] += x[r1*(H/s) + p1] / (s)\n"
            "for h < H/s\n"
            "  y[h] = 0\n"
            "  for r2 < k\n"
            "    if 0 <= h + r2 - k/2 < H/s\n"
            "      y[h] += z1[h + r2 - k/2] / (k)\n");
}

void expect_drawn(const Known& known, const std::vector<std::string>& parts) {
  const Problem problem = known.problem();
  const std::string dot = to_dot(problem, known.op(problem));
  for (const std::string& part : parts) {
    EXPECT_NE(dot.find(part), std::string::npos) << part << "\n" << dot;
  }
}

TEST(Draw, HasPrimitivesAsNodesAndCoordinatesAsEdges) {
  expect_drawn(
      known("grouped_conv2d"),
      {"digraph operator {", "y [label=\"output [N, Co, H, W]\", shape=ellipse];",
       "x [label=\"input [N, Ci, H, W]\", shape=ellipse];", "w1 [label=\"w1 [",
       "[label=\"REDUCE(Ci/g)\"];", "merge1 [label=\"MERGE(Co/g)\"];", "[label=\"UNFOLD\"];",
       "y -> x [label=\"n: N\"];", "y -> merge1 [label=\"co: Co\"];",
       "merge1 -> w1 [label=\"low(co, Co/g): Co/g\", style=dashed];",
       "[label=\"unfold(h, r2): H\"];"});
  expect_drawn(known("upsample2d"), {"[label=\"EXPAND\"];", "merge2 -> expand"});
}

}  // namespace
}  // namespace cambium::spaces::coordinate

#include "spaces/coordinate/lowering/padded_problem.h"

#include <gtest/gtest.h>

#include "spaces/coordinate/semantic.h"

namespace cambium::spaces::coordinate {
namespace {

constexpr const char* kGrouped =
    "operator [N, Ci, L] -> [N, Co, L]\nout n, o, l\nsum i: Ci/g\n"
    "x n, split(high(o, Co/g), i), l\nw1 high(o, Co/g), low(o, Co/g), i\n";

const std::vector<std::string> kAwkward = {"N=1, Ci=7, Co=9, L=16, g=2"};

Problem awkward() {
  return problem_of("[N, Ci, L]", "[N, Co, L]", kAwkward, true).value();
}

TEST(PaddedProblem, CostsWhatTheOperatorCostsOnceItsSizesAreWhole) {
  const Problem problem = awkward();
  const auto op = parse(problem, kGrouped, true);
  ASSERT_TRUE(op.ok()) << op.rejection().message();
  const auto bindings = bindings_for(problem, *op, true);
  ASSERT_TRUE(bindings.ok()) << bindings.rejection().message();
  EXPECT_EQ(problem.sizes.print(bindings->at(0)), "N=1, Ci=8, L=16, Co=10, g=2");
  const auto cost = cost_of(problem, *op, true);
  ASSERT_TRUE(cost.ok()) << cost.rejection().message();
  EXPECT_EQ(cost->macs, 10 * 4 * 16);
  EXPECT_EQ(cost->parameters, 10 * 4);
  EXPECT_EQ(priced(problem, true, parameters_of)(*op, problem.bindings).value(), 10 * 4);
}

TEST(PaddedProblem, RefusesFractionsWithoutPadding) {
  const auto refused = parse(awkward(), kGrouped, false);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.rejection().message().find("Ci/g"), std::string::npos);
  EXPECT_FALSE(problem_of("[L]", "[L/g]", std::vector<std::string>{"L=7, g=2"}, false).ok());
  EXPECT_TRUE(problem_of("[L]", "[L/g]", std::vector<std::string>{"L=7, g=2"}, true).ok());
}

TEST(PaddedProblem, IsDivisibleByWhatPrimitivesDivideBy) {
  const Problem problem = divisible(awkward(), true);
  EXPECT_EQ(problem.sizes.print(problem.bindings.at(0)), "N=4, Ci=28, L=64, Co=36, g=2");
  const auto op = parse(awkward(), kGrouped, true);
  ASSERT_TRUE(op.ok()) << op.rejection().message();
  EXPECT_TRUE(SemanticHasher(problem).fingerprint(*op).ok());
  EXPECT_EQ(divisible(problem, false), problem);
}

}  // namespace
}  // namespace cambium::spaces::coordinate

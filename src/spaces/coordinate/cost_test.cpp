#include "spaces/coordinate/cost.h"

#include <string_view>

#include <gtest/gtest.h>

#include "spaces/coordinate/documents_testing.h"
#include "spaces/coordinate/known.h"

namespace cambium::spaces::coordinate {
namespace {

CostBounds bounds_of(std::string_view name) {
  const KnownOperator& known = *find_known(name);
  return cost_bounds(operator_of(known), problem_of(known).bindings.front()).value();
}

// N=1, Ci=8, Co=12, H=6, W=7, k=3, g=2, s=2 for those over images.
TEST(CostTest, IsExactWhereOneStageIsBest) {
  EXPECT_EQ(bounds_of("conv2d").macs, 12 * 42 * 8 * 9);
  EXPECT_EQ(bounds_of("grouped_conv2d").macs, 12 * 42 * 4 * 9);
  EXPECT_EQ(bounds_of("shift_conv2d").macs, 12 * 42 * 8 * 3);
  EXPECT_EQ(bounds_of("strided_conv2d").macs, 2 * 4 * 12 * 3 * 9);
  EXPECT_EQ(bounds_of("scale").macs, 2 * 3 * 4 * 5);
}

TEST(CostTest, IsExactForTheStagesOfSynosOperators) {
  // Z: N, Ci, H, W, b, c; then Y: N, Co, H, W, G, a, b, c, with c of 12/4.
  EXPECT_EQ(bounds_of("operator1").macs, 42 * (8 * 3 * 3 + 12 * 2 * 9 * 3));
  EXPECT_EQ(bounds_of("operator2").macs, 42 * (8 * 3 * 3 + 12 * 2 * 3 * 3));
  EXPECT_EQ(bounds_of("stacked_conv2d").macs, 42 * (8 * 3 * 3 + 12 * 2 * 9 * 3));
  EXPECT_EQ(bounds_of("separable_conv2d").macs, 42 * (8 * 9 + 12 * 8));
}

TEST(CostTest, MovingElementsCostsNothingAndSumsReadTheInput) {
  EXPECT_EQ(bounds_of("pixel_shuffle").macs, 0);
  EXPECT_EQ(bounds_of("upsample2d").macs, 0);
  EXPECT_EQ(bounds_of("average_pool2d").macs, 2 * 3 * 6 * 8);
}

TEST(CostTest, CountsElements) {
  const CostBounds conv = bounds_of("conv2d");
  EXPECT_EQ(conv.parameters, 12 * 8 * 9);
  EXPECT_EQ(conv.input, 8 * 42);
  EXPECT_EQ(conv.output, 12 * 42);
  EXPECT_EQ(conv.traffic(), 12 * 8 * 9 + 8 * 42 + 12 * 42);
}

TEST(CostTest, SumsOverBindings) {
  const Problem problem = testing::conv_problem();
  const Operator op = parse(problem, testing::kConv2d).value();
  const CostBounds sum = cost_bounds(op, problem.bindings).value();
  EXPECT_EQ(sum.macs, 8 * 42 * 8 * 9 + 2 * 16 * 16 * 8 * 9);
  EXPECT_EQ(sum.parameters, 8 * 8 * 9 + 16 * 8 * 9);
}

}  // namespace
}  // namespace cambium::spaces::coordinate

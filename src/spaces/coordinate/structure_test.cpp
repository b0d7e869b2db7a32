#include "spaces/coordinate/structure.h"

#include "spaces/coordinate/documents_testing.h"

namespace cambium::spaces::coordinate {
namespace {

using testing::conv_problem;
using testing::make_problem;

TEST(StructureTest, CountsPrimitivesFromTheEquations) {
  // 3 reductions, 2 unfolds, 1 contraction.
  EXPECT_EQ(primitive_count(*parse(conv_problem(), testing::kConv2d)), 6);
  // 5 reductions, 1 split, 2 unfolds, 2 contractions.
  EXPECT_EQ(primitive_count(*parse(conv_problem(), testing::kOperator1)), 10);
  // A MERGE is one, though it makes two coordinates; its lower half is expanded.
  const Problem up = make_problem("[H]", "[s*H]", {"H=4, s=2"});
  EXPECT_EQ(
      primitive_count(*parse(up, "operator [H] -> [s*H] out h x high(h, s) expand low(h, s)")), 2);
}

TEST(StructureTest, KnowsWhatTheDataConsumesAndWhatWeightsShare) {
  const auto op = parse(conv_problem(), testing::kOperator1);
  ASSERT_TRUE(op.ok()) << op.rejection().message();
  const std::vector<Use> uses = uses_of(*op);
  EXPECT_EQ(uses[0].axis, 0);          // the batch
  EXPECT_EQ(uses[1].consumptions, 0);  // output channels are in a weight only
  EXPECT_NE(uses[1].weights, 0U);
  for (CoordinateIndex i = 2; i <= 7; ++i) {  // h, w, G, i, a, b
    EXPECT_EQ(uses[static_cast<std::size_t>(i)].consumptions, 1) << i;
  }
  EXPECT_EQ(uses[8].consumptions, 0);  // c
  EXPECT_EQ(uses[8].weights, 3U);      // in both weights
}

TEST(StructureTest, ReductionsThatNoWeightDependsOnAverage) {
  const Problem pool = make_problem("[N, C, s*H]", "[N, C, H]", {"N=1, C=2, H=4, s=2"});
  const auto op =
      parse(pool, "operator [N,C,s*H] -> [N,C,H] out n,c,h sum r: s x n, c, split(h, r)");
  ASSERT_TRUE(op.ok()) << op.rejection().message();
  EXPECT_EQ(averaged_reductions(*op), 8U);
  EXPECT_EQ(averaged_reductions(*parse(conv_problem(), testing::kOperator1)), 0U);
  // A weight reads a coordinate made of the reduction: that is enough.
  const auto weighted = parse(
      pool, "operator [N,C,s*H] -> [N,C,H] out n,c,h sum r: s x n, c, split(h, r) w1 split(h, r)");
  ASSERT_TRUE(weighted.ok()) << weighted.rejection().message();
  EXPECT_EQ(averaged_reductions(*weighted), 0U);
}

TEST(StructureTest, DerivedNamesAreNamesOnce) {
  const Problem odd = make_problem("[Split, H, 4]", "[Split, h, 4, H]", {"Split=2, H=3, h=3"});
  Operator op;
  for (const expr::Size& axis : odd.output) {
    op.coordinates.push_back({CoordinateKind::Output, kNoCoordinate, kNoCoordinate, axis, {}});
  }
  EXPECT_EQ(derived_names(odd, op), (LeafNames{"split2", "h", "i", "h2"}));
}

TEST(StructureTest, OrderIsRecognized) {
  Operator op = *parse(conv_problem(), testing::kConv2d);
  EXPECT_TRUE(is_ordered(op));
  std::swap(op.coordinates.front(), op.coordinates.back());
  EXPECT_FALSE(is_ordered(op));
  op = *parse(conv_problem(), testing::kConv2d);
  op.data.front() = static_cast<CoordinateIndex>(op.coordinates.size());
  EXPECT_FALSE(is_ordered(op));
}

}  // namespace
}  // namespace cambium::spaces::coordinate

#include "search/pareto_curve.h"

#include <cmath>

#include <gtest/gtest.h>

namespace cambium::search {
namespace {

// Corners (4, 0), (3, 2), (0, 4); extent 4 by 4.
ParetoCurve sample() {
  return ParetoCurve({{0, 4}, {3, 2}, {4, 0}, {1, 1}, {3, 1}, {2, 2}});
}

TEST(ParetoCurve, HasTheCornersThatNothingDominates) {
  EXPECT_EQ(sample().corners(), (std::vector<CurvePlace>{{4, 0}, {3, 2}, {0, 4}}));
  EXPECT_EQ(ParetoCurve({{1, 1}, {1, 1}}).corners().size(), 1u);
}

TEST(ParetoCurve, IsNowhereNearerThanItsNearestPiece) {
  const ParetoCurve curve = sample();
  for (const CurvePlace& corner : curve.corners()) EXPECT_EQ(curve.distance(corner), 0);
  EXPECT_NEAR(curve.distance({1.5, 3}), 0, 1e-15);     // between two corners
  EXPECT_DOUBLE_EQ(curve.distance({3.5, -2}), 0.125);  // below the last: along the axis
  EXPECT_DOUBLE_EQ(curve.distance({-3, 3.5}), 0.125);
  // (2, 2) off the line from (3, 2) to (0, 4): 2 / sqrt(13), over the extent.
  EXPECT_DOUBLE_EQ(curve.distance({2, 2}), 2 / std::sqrt(13.0) / 4);
}

TEST(ParetoCurve, DoesNotDependOnUnits) {
  const std::vector<CurvePlace> places = {{0, 4}, {3, 2}, {4, 0}, {1, 1}};
  std::vector<CurvePlace> scaled;
  for (const CurvePlace& place : places) scaled.push_back({place.first * 1e-3, place.second * 1e9});
  EXPECT_NEAR(ParetoCurve(places).distance({1, 1}), ParetoCurve(scaled).distance({1e-3, 1e9}),
              1e-12);
}

TEST(ParetoCurve, TakesTheExtentOfAllPointsWhereItHasNone) {
  const ParetoCurve curve({{5, 5}, {1, 3}});
  EXPECT_DOUBLE_EQ(curve.distance({1, 5}), 0);  // on the curve's own continuation
  EXPECT_DOUBLE_EQ(curve.distance({4, 4}), 0.25);
}

TEST(ParetoCurve, PutsAnchorsOnEveryPiece) {
  const ParetoCurve curve = sample();
  Rng rng(1);
  int flat = 0;
  for (int i = 0; i < 200; ++i) {
    const CurvePlace anchor = curve.anchor(rng);
    EXPECT_NEAR(curve.distance(anchor), 0, 1e-12);
    flat += anchor.first < 3 ? 1 : 0;
  }
  EXPECT_GT(flat, 60);
  EXPECT_LT(flat, 140);
  EXPECT_EQ(ParetoCurve({{5, 5}, {1, 3}}).anchor(rng), (CurvePlace{5, 5}));
}

}  // namespace
}  // namespace cambium::search

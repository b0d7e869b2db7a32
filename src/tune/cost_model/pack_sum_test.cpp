#include "tune/cost_model/pack_sum.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace cambium::tune {
namespace {

// An example of rows that are all zero but for their share.
Example example(std::uint64_t program, std::vector<float> shares, double seconds, double draft) {
  Example e;
  e.program = {program, 0};
  e.seconds = seconds;
  e.draft_seconds = draft;
  e.features.rows = shares.size();
  for (float share : shares) {
    std::vector<float> row(feature_names().size(), 0.0F);
    row[share_column()] = share;
    e.features.values.insert(e.features.values.end(), row.begin(), row.end());
  }
  return e;
}

TEST(PackSum, AddsRowsByTheirShareToTheDraft) {
  const Example e = example(1, {0.75F, 0.25F}, 1, 2);
  const PackSum sum({&e});
  const std::vector<float> rows{1.0F, 2.0F};
  EXPECT_NEAR(sum.predictions(rows)[0], std::log(2.0) + 0.75 + 0.5, 1e-6);
}

TEST(PackSum, HasNoGradientWhereAllOfAProgramAreOffByOneFactor) {
  const Example a = example(1, {1.0F}, 1, 5), b = example(1, {1.0F}, 3, 15);
  const PackSum sum({&a, &b});
  std::vector<float> gradient, hessian;
  sum.gradients(sum.predictions(std::vector<float>{0, 0}), gradient, hessian);
  EXPECT_NEAR(gradient[0], 0, 1e-6);
  EXPECT_NEAR(gradient[1], 0, 1e-6);
}

TEST(PackSum, PushesDownWhatIsFasterThanPredicted) {
  const Example a = example(1, {1.0F}, 1, 5), b = example(1, {1.0F}, 3, 5);
  const PackSum sum({&a, &b});
  std::vector<float> gradient, hessian;
  sum.gradients(sum.predictions(std::vector<float>{0, 0}), gradient, hessian);
  EXPECT_GT(gradient[0], 0);
  EXPECT_LT(gradient[1], 0);
  EXPECT_GT(hessian[0], hessian[1]) << "the fast one counts more";
}

TEST(PackSum, ComparesNoExamplesOfDifferentPrograms) {
  const Example a = example(1, {1.0F}, 1, 9), b = example(2, {1.0F}, 3, 1);
  const PackSum sum({&a, &b});
  EXPECT_EQ(sum.disorder(sum.predictions(std::vector<float>{0, 0})), 0);
}

TEST(PackSum, SeesDisorderByTheDifferencesThatAreTheWrongWayRound) {
  const Example a = example(1, {1.0F}, 1, 1), b = example(1, {1.0F}, 2, 1);
  const PackSum sum({&a, &b});
  EXPECT_EQ(sum.disorder(std::vector<double>{0.1, 0.2}), 0);
  EXPECT_EQ(sum.disorder(std::vector<double>{0.2, 0.1}), 1);
  EXPECT_EQ(sum.disorder(std::vector<double>{0.2, 0.2}), 0.5);
}

TEST(PackSum, TakesARefusedExampleForSlow) {
  const double never = std::numeric_limits<double>::infinity();
  const Example a = example(1, {1.0F}, 1, 1), b = example(1, {1.0F}, never, 1);
  const PackSum sum({&a, &b});
  EXPECT_EQ(sum.disorder(std::vector<double>{0.1, 0.2}), 0);
  EXPECT_EQ(sum.disorder(std::vector<double>{0.2, 0.1}), 1);
}

TEST(PackSum, LearnsNothingFromAProgramThatNeverRan) {
  const double never = std::numeric_limits<double>::infinity();
  const Example a = example(1, {1.0F}, never, 1), b = example(1, {1.0F}, never, 2);
  const PackSum sum({&a, &b});
  std::vector<float> gradient, hessian;
  sum.gradients(sum.predictions(std::vector<float>{0, 0}), gradient, hessian);
  EXPECT_EQ(gradient[0], 0);
  EXPECT_EQ(gradient[1], 0);
}

}  // namespace
}  // namespace cambium::tune

#include "base/student.h"

#include <cmath>
#include <initializer_list>
#include <limits>

#include <gtest/gtest.h>

namespace cambium {
namespace {

// From printed tables of the distribution.
TEST(Student, HasTheQuantilesOfThePrintedTables) {
  EXPECT_NEAR(student_quantile(0.975, 1), 12.7062, 5e-5);
  EXPECT_NEAR(student_quantile(0.975, 2), 4.3027, 5e-5);
  EXPECT_NEAR(student_quantile(0.975, 3), 3.1824, 5e-5);
  EXPECT_NEAR(student_quantile(0.95, 3), 2.3534, 5e-5);
  EXPECT_NEAR(student_quantile(0.95, 4), 2.1318, 5e-5);
  EXPECT_NEAR(student_quantile(0.995, 7), 3.4995, 5e-5);
  EXPECT_NEAR(student_quantile(0.90, 10), 1.3722, 5e-5);
  EXPECT_NEAR(student_quantile(0.975, 31), 2.0395, 5e-5);
  EXPECT_NEAR(student_quantile(0.9999, 2), 70.7001, 5e-4);
}

// One degree of freedom is Cauchy's distribution; many come close to the normal one.
TEST(Student, IsCauchyAtOneAndNearlyNormalAtMany) {
  for (const double t : {-30.0, -1.0, -0.25, 0.0, 0.5, 4.0}) {
    EXPECT_NEAR(student_cdf(t, 1), 0.5 + std::atan(t) / std::acos(-1.0), 1e-14) << t;
    EXPECT_NEAR(student_cdf(t, 20'000), std::erfc(-t / std::sqrt(2.0)) / 2, 1e-4) << t;
  }
}

TEST(Student, IsSymmetricAndEndsAtOne) {
  const double infinite = std::numeric_limits<double>::infinity();
  for (const int freedom : {1, 2, 3, 4, 15, 16}) {
    EXPECT_DOUBLE_EQ(student_cdf(0, freedom), 0.5);
    EXPECT_DOUBLE_EQ(student_cdf(infinite, freedom), 1);
    EXPECT_DOUBLE_EQ(student_cdf(-infinite, freedom), 0);
    for (const double probability : {0.001, 0.2, 0.5, 0.9, 0.999}) {
      const double t = student_quantile(probability, freedom);
      EXPECT_NEAR(student_cdf(t, freedom), probability, 1e-12) << freedom;
      EXPECT_NEAR(student_quantile(1 - probability, freedom), -t, 1e-9 * (1 + std::fabs(t)));
    }
  }
}

}  // namespace
}  // namespace cambium

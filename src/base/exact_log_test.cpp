#include "base/exact_log.h"

#include <cmath>
#include <initializer_list>

#include <gtest/gtest.h>

namespace cambium {
namespace {

TEST(ExactLog, IsTheLogarithm) {
  EXPECT_EQ(exact_log(1), 0);
  for (const double x : {1e-300, 0.001, 0.5, 0.7071, 0.9999, 1.0001, 2.0, 3.0, 1e6, 1e300}) {
    EXPECT_NEAR(exact_log(x), std::log(x), 4e-16 * std::fmax(1, std::fabs(std::log(x)))) << x;
  }
}

}  // namespace
}  // namespace cambium

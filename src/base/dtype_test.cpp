#include "base/dtype.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace cambium {
namespace {

TEST(DType, NamesRoundTrip) {
  for (const DType dtype : {DType::F32, DType::BF16, DType::U64, DType::Bool}) {
    EXPECT_EQ(dtype_named(name_of(dtype)), dtype);
  }
  EXPECT_EQ(dtype_named("float"), std::nullopt);
}

TEST(DType, EveryHalfSurvivesTheWayThroughDouble) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    F16 half;
    half.bits = static_cast<std::uint16_t>(bits);
    if (const auto value = static_cast<double>(half); !std::isnan(value)) {
      ASSERT_EQ(F16(value).bits, half.bits);
    }
    BF16 brain;
    brain.bits = static_cast<std::uint16_t>(bits);
    if (const auto value = static_cast<double>(brain); !std::isnan(value)) {
      ASSERT_EQ(BF16(value).bits, brain.bits);
    }
  }
}

TEST(DType, RoundsToNearestEvenAndOverflowsToInfinity) {
  EXPECT_EQ(F16(1.0).bits, 0x3c00);
  EXPECT_EQ(F16(1.0 + std::ldexp(1, -11)).bits, 0x3c00);  // a tie, to even
  EXPECT_EQ(F16(1.0 + std::ldexp(3, -11)).bits, 0x3c02);  // a tie, to even
  EXPECT_EQ(F16(1.0 + std::ldexp(1, -11) + std::ldexp(1, -40)).bits, 0x3c01);
  EXPECT_EQ(F16(65519.0).bits, 0x7bff);
  EXPECT_EQ(F16(65520.0).bits, 0x7c00);
  EXPECT_EQ(F16(-1e300).bits, 0xfc00);
  EXPECT_EQ(F16(std::ldexp(1, -25)).bits, 0);  // half of the smallest subnormal, to even
  EXPECT_EQ(BF16(-2.0).bits, 0xc000);
  EXPECT_TRUE(std::isnan(static_cast<double>(BF16(std::numeric_limits<double>::quiet_NaN()))));
}

}  // namespace
}  // namespace cambium

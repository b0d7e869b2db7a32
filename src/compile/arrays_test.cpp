#include "compile/arrays.h"

#include <vector>

#include <gtest/gtest.h>

namespace cambium::compile {
namespace {

template <class T>
void expect_round_trip(const std::vector<T>& elements) {
  const auto bytes = std::as_bytes(std::span<const T>(elements));
  std::vector<std::byte> back(bytes.size());
  store(array_of(dtype_of<T>, bytes), back);
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), back.begin())) << name_of(dtype_of<T>);
}

TEST(Arrays, EveryTypeComesBackBitForBit) {
  expect_round_trip<float>({0.1f, -2.5f, 3e38f});
  expect_round_trip<double>({0.1, -1e300});
  expect_round_trip<F16>({F16(0.5), F16(-3.25)});
  expect_round_trip<BF16>({BF16(0.5), BF16(-3.25)});
  expect_round_trip<std::int8_t>({-128, 127});
  expect_round_trip<std::int16_t>({-32768, 5});
  expect_round_trip<std::int32_t>({-7, 2147483647});
  expect_round_trip<std::int64_t>({-9007199254740993, 1});
  expect_round_trip<std::uint8_t>({0, 255});
  expect_round_trip<std::uint16_t>({0, 65535});
  expect_round_trip<std::uint32_t>({0, 4294967295u});
  expect_round_trip<std::uint64_t>({0, 18446744073709551615u});
}

}  // namespace
}  // namespace cambium::compile

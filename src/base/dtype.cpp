#include "base/dtype.h"

#include <cmath>
#include <cstring>

namespace cambium {

namespace {

// Rounds a double to a binary format with `kMantissa` explicit mantissa bits and `kExponent`
// exponent bits, to nearest even in one step (going through float would round twice).
template <int kMantissa, int kExponent>
std::uint16_t round_to_bits(double value) {
  constexpr int kBias = (1 << (kExponent - 1)) - 1;
  constexpr std::uint16_t kInfinity =
      static_cast<std::uint16_t>(((1 << kExponent) - 1) << kMantissa);
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const double magnitude = std::fabs(value);
  if (std::isnan(value))
    return static_cast<std::uint16_t>(sign | kInfinity | (1 << (kMantissa - 1)));
  if (magnitude == 0) return sign;
  if (std::isinf(magnitude)) return sign | kInfinity;
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  exponent -= 1;  // magnitude in [2^exponent, 2^(exponent + 1))
  if (exponent > kBias + 1) return sign | kInfinity;
  // The exponent of the last place: fixed below the smallest normal number.
  const int last_place = (exponent < 1 - kBias ? 1 - kBias : exponent) - kMantissa;
  const auto steps = static_cast<std::int64_t>(std::nearbyint(std::ldexp(magnitude, -last_place)));
  // `steps` counts last places; for normal numbers it carries the implicit leading one.
  const int biased = last_place + kMantissa + kBias;  // 1 for subnormals as well
  const std::int64_t bits = ((static_cast<std::int64_t>(biased) - 1) << kMantissa) + steps;
  return bits >= kInfinity ? static_cast<std::uint16_t>(sign | kInfinity)
                           : static_cast<std::uint16_t>(sign | bits);
}

template <int kMantissa, int kExponent>
double value_of_bits(std::uint16_t bits) {
  constexpr int kBias = (1 << (kExponent - 1)) - 1;
  const int exponent = (bits >> kMantissa) & ((1 << kExponent) - 1);
  const int mantissa = bits & ((1 << kMantissa) - 1);
  double magnitude = 0;
  if (exponent == (1 << kExponent) - 1) {
    magnitude = mantissa != 0 ? std::nan("") : HUGE_VAL;
  } else if (exponent == 0) {
    magnitude = std::ldexp(mantissa, 1 - kBias - kMantissa);
  } else {
    magnitude = std::ldexp((1 << kMantissa) + mantissa, exponent - kBias - kMantissa);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

}  // namespace

F16::F16(double value) : bits(round_to_bits<10, 5>(value)) {}
F16::operator double() const {
  return value_of_bits<10, 5>(bits);
}
BF16::BF16(double value) : bits(round_to_bits<7, 8>(value)) {}
BF16::operator double() const {
  return value_of_bits<7, 8>(bits);
}

std::string_view name_of(DType dtype) {
  switch (dtype) {
#define CAMBIUM_X(enumerator, name, type) \
  case DType::enumerator: return name;
    CAMBIUM_FOR_EACH_DTYPE(CAMBIUM_X)
#undef CAMBIUM_X
  }
  return "?";
}

std::optional<DType> dtype_named(std::string_view name) {
#define CAMBIUM_X(enumerator, text, type) \
  if (name == text) return DType::enumerator;
  CAMBIUM_FOR_EACH_DTYPE(CAMBIUM_X)
#undef CAMBIUM_X
  return std::nullopt;
}

std::int64_t size_of(DType dtype) {
  return visit_dtype(dtype, [](auto zero) { return static_cast<std::int64_t>(sizeof zero); });
}

bool is_floating(DType dtype) {
  return dtype == DType::F32 || dtype == DType::F64 || dtype == DType::F16 || dtype == DType::BF16;
}

bool is_integer(DType dtype) {
  return !is_floating(dtype) && dtype != DType::Bool;
}

}  // namespace cambium

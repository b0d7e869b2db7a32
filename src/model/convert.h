// Converts one element to another type, for every value, by the rules of Cast. Floating-point to
// integer truncates toward zero and saturates; NaN becomes 0. Integers wrap. Conversion to bool
// tests for non-zero. Floating-point to a smaller floating-point type rounds to nearest even.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "base/dtype.h"

namespace cambium::model {

template <class T>
inline constexpr bool is_half = std::is_same_v<T, F16> || std::is_same_v<T, BF16>;
template <class T>
inline constexpr bool is_float_element = is_half<T> || std::is_floating_point_v<T>;

template <class To, class From>
To convert(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (is_half<From>) {
    return convert<To>(static_cast<double>(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From{};
  } else if constexpr (is_half<To>) {
    return To(static_cast<double>(value));
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    // The highest value may not be representable as a floating-point number. The value one above it
    // is a power of two, so it is.
    const From low = static_cast<From>(std::numeric_limits<To>::min());
    const From above = std::ldexp(From{1}, std::numeric_limits<To>::digits);
    if (std::isnan(value)) return To{0};
    if (value < low) return std::numeric_limits<To>::min();
    if (value >= above) return std::numeric_limits<To>::max();
    return static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace cambium::model

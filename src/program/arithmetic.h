// The functions of functions.h on numbers. This is their only definition. Whole numbers of every
// type are held in 64 bits (u64 with the same bits) and wrapped to their type after each operation.
// bool is 0 or 1. The interpreter and constant folding call this.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/check.h"
#include "program/functions.h"

namespace cambium::program {

inline std::int64_t wrap(std::int64_t value, DType type) {
  switch (type) {
    case DType::I8: return static_cast<std::int8_t>(value);
    case DType::I16: return static_cast<std::int16_t>(value);
    case DType::I32: return static_cast<std::int32_t>(value);
    case DType::U8: return static_cast<std::uint8_t>(value);
    case DType::U16: return static_cast<std::uint16_t>(value);
    case DType::U32: return static_cast<std::uint32_t>(value);
    case DType::Bool: return value != 0 ? 1 : 0;
    case DType::F32:
    case DType::F64:
    case DType::F16:
    case DType::BF16:
    case DType::I64:
    case DType::U64: break;
  }
  return value;
}

template <class T>
T sign_of_number(T x) {
  return x > 0 ? T(1) : x < 0 ? T(-1) : x;  // of NaN: NaN; of a zero: that zero
}

template <UnaryFn fn, class T>
requires std::is_floating_point_v<T> T apply(T x) {
  using enum UnaryFn;
  if constexpr (fn == Neg) return -x;
  if constexpr (fn == Abs) return std::fabs(x);
  if constexpr (fn == Sign) return sign_of_number(x);
  if constexpr (fn == Exp) return std::exp(x);
  if constexpr (fn == Expm1) return std::expm1(x);
  if constexpr (fn == Log) return std::log(x);
  if constexpr (fn == Log1p) return std::log1p(x);
  if constexpr (fn == Sqrt) return std::sqrt(x);
  if constexpr (fn == Erf) return std::erf(x);
  if constexpr (fn == Sin) return std::sin(x);
  if constexpr (fn == Cos) return std::cos(x);
  if constexpr (fn == Tan) return std::tan(x);
  if constexpr (fn == Asin) return std::asin(x);
  if constexpr (fn == Acos) return std::acos(x);
  if constexpr (fn == Atan) return std::atan(x);
  if constexpr (fn == Sinh) return std::sinh(x);
  if constexpr (fn == Cosh) return std::cosh(x);
  if constexpr (fn == Tanh) return std::tanh(x);
  if constexpr (fn == Asinh) return std::asinh(x);
  if constexpr (fn == Acosh) return std::acosh(x);
  if constexpr (fn == Atanh) return std::atanh(x);
  if constexpr (fn == Floor) return std::floor(x);
  if constexpr (fn == Ceil) return std::ceil(x);
  if constexpr (fn == Round) return std::nearbyint(x);
  return x;  // IsNan and Not have no floating result
}

template <UnaryFn fn>
std::int64_t apply_whole(std::int64_t x, DType type) {
  const std::int64_t negative = static_cast<std::int64_t>(-static_cast<std::uint64_t>(x));
  const bool below = x < 0 && type != DType::U64;
  if constexpr (fn == UnaryFn::Neg) return wrap(negative, type);
  if constexpr (fn == UnaryFn::Abs) return wrap(below ? negative : x, type);
  if constexpr (fn == UnaryFn::Sign) return below ? -1 : (x != 0 ? 1 : 0);
  if constexpr (fn == UnaryFn::Not) return x == 0 ? 1 : 0;
  return x;  // the others take floating numbers only
}

// Arithmetic of two floating numbers; comparisons are `holds`.
template <BinaryFn fn, class T>
requires std::is_floating_point_v<T> T apply(T x, T y) {
  using enum BinaryFn;
  if constexpr (fn == Add) return x + y;
  if constexpr (fn == Sub) return x - y;
  if constexpr (fn == Mul) return x * y;
  if constexpr (fn == Div) return x / y;
  if constexpr (fn == Min) return x < y ? x : y;
  if constexpr (fn == Max) return x > y ? x : y;
  if constexpr (fn == Pow) return std::pow(x, y);
  if constexpr (fn == Rem) return std::fmod(x, y);
  if constexpr (fn == Mod) {
    const T r = std::fmod(x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
  }
  return x;
}

template <BinaryFn fn, class T>
bool holds(T x, T y) {
  using enum BinaryFn;
  if constexpr (fn == Less) return x < y;
  if constexpr (fn == LessEqual) return x <= y;
  if constexpr (fn == Equal) return x == y;
  if constexpr (fn == NotEqual) return x != y;
  if constexpr (fn == And) return x != 0 && y != 0;
  if constexpr (fn == Or) return x != 0 || y != 0;
  return false;
}

// T: std::uint64_t for u64, otherwise std::int64_t.
template <BinaryFn fn, class T>
T divide_whole(T x, T y) {
  if (y == 0) return 0;
  if (std::is_signed_v<T> && y == static_cast<T>(-1)) {  // the lowest number has no negative
    return fn == BinaryFn::Div ? static_cast<T>(-static_cast<std::uint64_t>(x)) : 0;
  }
  if constexpr (fn == BinaryFn::Div) return x / y;
  const T r = x % y;
  if constexpr (fn == BinaryFn::Mod) return r != 0 && (r < 0) != (y < 0) ? r + y : r;
  return r;
}

template <BinaryFn fn>
std::int64_t apply_whole(std::int64_t a, std::int64_t b, DType type) {
  using enum BinaryFn;
  const std::uint64_t x = static_cast<std::uint64_t>(a);
  const std::uint64_t y = static_cast<std::uint64_t>(b);
  if constexpr (fn == Add) return wrap(static_cast<std::int64_t>(x + y), type);
  if constexpr (fn == Sub) return wrap(static_cast<std::int64_t>(x - y), type);
  if constexpr (fn == Mul) return wrap(static_cast<std::int64_t>(x * y), type);
  if constexpr (gives_truth(fn)) {
    return (type == DType::U64 ? holds<fn>(x, y) : holds<fn>(a, b)) ? 1 : 0;
  }
  if constexpr (fn == Min) return (type == DType::U64 ? x < y : a < b) ? a : b;
  if constexpr (fn == Max) return (type == DType::U64 ? x > y : a > b) ? a : b;
  if constexpr (fn == Div || fn == Mod || fn == Rem) {
    if (type == DType::U64) return static_cast<std::int64_t>(divide_whole<fn>(x, y));
    return wrap(divide_whole<fn>(a, b), type);
  }
  return a;  // Pow takes floating numbers only
}

// Toward zero, saturating; NaN gives 0.
inline std::int64_t whole_from(double value, DType type) {
  if (std::isnan(value)) return 0;
  if (type == DType::Bool) return value != 0 ? 1 : 0;
  if (type == DType::U64) {
    if (value <= 0) return 0;
    if (value >= 18446744073709551616.0) return -1;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(value));
  }
  return visit_dtype(type, [value](auto zero) -> std::int64_t {
    using T = decltype(zero);
    if constexpr (std::numeric_limits<T>::is_integer && sizeof(T) < 8) {
      return static_cast<std::int64_t>(
          std::clamp(std::trunc(value), static_cast<double>(std::numeric_limits<T>::min()),
                     static_cast<double>(std::numeric_limits<T>::max())));
    } else {
      if (value >= 9223372036854775808.0) return std::numeric_limits<std::int64_t>::max();
      if (value < -9223372036854775808.0) return std::numeric_limits<std::int64_t>::min();
      return static_cast<std::int64_t>(value);
    }
  });
}

template <class T>
T floating_from(std::int64_t value, DType type) {
  return type == DType::U64 ? static_cast<T>(static_cast<std::uint64_t>(value))
                            : static_cast<T>(value);
}

// Rounds a floating number as a store to a buffer of that type does.
inline double stored(double value, DType type) {
  switch (type) {
    case DType::F32: return static_cast<double>(static_cast<float>(value));
    case DType::F16: return static_cast<double>(F16(value));
    case DType::BF16: return static_cast<double>(BF16(value));
    case DType::F64:
    case DType::I8:
    case DType::I16:
    case DType::I32:
    case DType::I64:
    case DType::U8:
    case DType::U16:
    case DType::U32:
    case DType::U64:
    case DType::Bool: break;
  }
  return value;
}

}  // namespace cambium::program

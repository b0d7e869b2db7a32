#include "measure/rounding.h"

#include <algorithm>
#include <cmath>

namespace cambium::measure {

using program::BinaryFn;
using program::UnaryFn;

namespace {

// Functions of libm, and polynomials in their place, are good to a few units in the last place.
constexpr double kUlps = 8;  // times u, that is 4 ulp
constexpr double kTiny = 1e-300;

bool may_cross_whole(double x, double error) {
  return error > 0 && std::abs(x - std::nearbyint(x)) <= error;
}

// How much faster the result moves than the operand, at the operand.
double slope_of(UnaryFn fn, double x, double f) {
  using enum UnaryFn;
  switch (fn) {
    case Exp: return f;
    case Expm1: return std::abs(f + 1);
    case Log: return 1 / std::max(std::abs(x), kTiny);
    case Log1p: return 1 / std::max(std::abs(1 + x), kTiny);
    case Erf: return 1.13 * std::exp(-x * x);
    case Tan: return 1 + f * f;
    case Asin:
    case Acos: return 1 / std::sqrt(std::max(1 - x * x, 1e-12));
    case Sinh:
    case Cosh: return std::cosh(x);
    case Tanh: return 1 - f * f;
    case Acosh: return 1 / std::sqrt(std::max(x * x - 1, 1e-12));
    case Atanh: return 1 / std::max(1 - x * x, 1e-12);
    default: return 1;  // Sin, Cos, Atan, Asinh: at most
  }
}

bool is_exact(UnaryFn fn) {
  using enum UnaryFn;
  return fn == Neg || fn == Abs || fn == Sign || fn == Floor || fn == Ceil || fn == Round ||
         fn == IsNan || fn == Not;
}

}  // namespace

double unit_roundoff(DType type) {
  switch (type) {
    case DType::F32: return std::ldexp(1.0, -24);
    case DType::F64: return std::ldexp(1.0, -53);
    case DType::F16: return std::ldexp(1.0, -11);
    case DType::BF16: return std::ldexp(1.0, -8);
    default: return 0;
  }
}

double sum_growth(std::int64_t terms) {
  const auto n = static_cast<double>(terms);
  return std::min(n, 3 * std::sqrt(n));
}

Estimate rounded(UnaryFn fn, Estimate a, double value, double u) {
  using enum UnaryFn;
  if (fn == Neg || fn == Abs || fn == Not) return {value, a.error};
  if (fn == IsNan) return {value, 0};
  if (fn == Sign) return {value, std::abs(a.value) <= a.error && a.error > 0 ? 2.0 : 0.0};
  if (fn == Floor || fn == Ceil) return {value, may_cross_whole(a.value, a.error) ? 1.0 : 0.0};
  if (fn == Round) return {value, may_cross_whole(a.value + 0.5, a.error) ? 1.0 : 0.0};
  if (fn == Sqrt) {  // steep at zero: never more than the root of the error
    const double most = std::max(std::abs(value), std::sqrt(a.error));
    return {value, (most > 0 ? a.error / most : 0) + u * std::abs(value)};
  }
  static_assert(kUlps > 1);
  // Near their zeros these are good absolutely, not relatively.
  const bool has_zeros = fn == Sin || fn == Cos || fn == Tan || fn == Log || fn == Acos;
  const double own = is_exact(fn) ? 0 : kUlps * u * (std::abs(value) + (has_zeros ? 1 : 0));
  // The slope changes within the error; for errors that are small it does not matter.
  return {value, a.error * slope_of(fn, a.value, value) * (1 + a.error) + own};
}

Estimate rounded(BinaryFn fn, Estimate a, Estimate b, double value, double u) {
  using enum BinaryFn;
  const double x = std::abs(a.value), y = std::abs(b.value), f = std::abs(value);
  switch (fn) {
    case Or:
    case And:
    case Min:
    case Max: return {value, std::max(a.error, b.error)};
    case Less:
    case LessEqual:
    case Equal:
    case NotEqual: {
      const double both = a.error + b.error;
      return {value, both > 0 && std::abs(a.value - b.value) <= both ? 1.0 : 0.0};
    }
    case Add:
    case Sub: return {value, a.error + b.error + u * f};
    case Mul: return {value, x * b.error + y * a.error + a.error * b.error + u * f};
    case Div: {
      const double least = std::max(y - b.error, kTiny);
      return {value, (a.error + f * b.error) / least + u * f};
    }
    case Pow: {
      const double logarithm = std::abs(std::log(std::max(x, kTiny)));
      const double relative = y * a.error / std::max(x, kTiny) + logarithm * b.error;
      return {value, f * (relative + kUlps * u * (1 + y * logarithm))};
    }
    case Mod:
    case Rem: {
      const double quotient = x / std::max(y, kTiny);
      const double moved = a.error + quotient * b.error;
      const bool jumps =
          moved > 0 && may_cross_whole(a.value / b.value, moved / std::max(y, kTiny));
      return {value, moved + (jumps ? y : 0) + u * f};
    }
  }
  return {value, 0};
}

}  // namespace cambium::measure

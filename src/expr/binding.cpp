#include "expr/binding.h"

#include <numeric>

namespace cambium::expr {

Status Binding::set(SizeVar v, std::int64_t value) {
  if (value <= 0) return Rejection(Reason::SizeNotPositive, value);
  values_[v.index] = value;
  return Ok{};
}

std::strong_ordering operator<=>(const Ratio& a, const Ratio& b) {
  return static_cast<__int128>(a.numerator) * b.denominator <=>
         static_cast<__int128>(b.numerator) * a.denominator;
}

Result<Ratio> evaluate_ratio(const Size& size, const Binding& binding) {
  // Two passes over the variables, cancelling at each step, so that only a value whose reduced
  // numerator or denominator really is too large is refused.
  Ratio value{size.factor(), 1};
  const auto cancel_and_multiply = [](std::int64_t& into, std::int64_t& against,
                                      std::int64_t by) -> bool {
    const std::int64_t common = std::gcd(against, by);
    against /= common;
    return !__builtin_mul_overflow(into, by / common, &into);
  };
  for (const bool below : {true, false}) {
    for (std::uint8_t i = 0; i < kMaxVars; ++i) {
      const SizeVar v{i};
      const int power = below ? -size.powers()[v] : size.powers()[v];
      if (power <= 0) continue;
      if (!binding.has(v)) return Rejection(Reason::SizeUnbound, i);
      for (int p = 0; p < power && binding[v] != 1; ++p) {
        const bool ok = below ? cancel_and_multiply(value.denominator, value.numerator, binding[v])
                              : cancel_and_multiply(value.numerator, value.denominator, binding[v]);
        if (!ok) return Rejection(Reason::SizeOverflow);
      }
    }
  }
  return value;
}

Result<std::int64_t> evaluate(const Size& size, const Binding& binding) {
  CAMBIUM_TRY(const Ratio value, evaluate_ratio(size, binding));
  if (!value.is_integer()) {
    return Rejection(Reason::SizeNotInteger, value.numerator, value.denominator);
  }
  return value.numerator;
}

Result<SizeBounds> bounds(const Size& size, std::span<const Binding> bindings) {
  CAMBIUM_CHECK(!bindings.empty(), "bounds over no bindings");
  CAMBIUM_TRY(const Ratio first, evaluate_ratio(size, bindings.front()));
  SizeBounds found{first, first};
  for (const Binding& binding : bindings.subspan(1)) {
    CAMBIUM_TRY(const Ratio value, evaluate_ratio(size, binding));
    if (value < found.min) found.min = value;
    if (value > found.max) found.max = value;
  }
  return found;
}

Status require_integer(const Size& size, std::span<const Binding> bindings) {
  if (size.is_whole()) return Ok{};
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    CAMBIUM_TRY(const Ratio value, evaluate_ratio(size, bindings[i]));
    if (!value.is_integer()) {
      return Rejection(Reason::SizeNotInteger, value.numerator, value.denominator,
                       static_cast<std::int64_t>(i));
    }
  }
  return Ok{};
}

Status require_divides(const Size& d, const Size& n, std::span<const Binding> bindings) {
  if (divides(d, n)) return Ok{};
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    CAMBIUM_TRY(const Ratio top, evaluate_ratio(n, bindings[i]));
    CAMBIUM_TRY(const Ratio bottom, evaluate_ratio(d, bindings[i]));
    // (a/b) / (c/d) is an integer when b*c divides a*d; common factors go first.
    const __int128 over = static_cast<__int128>(top.numerator) * bottom.denominator;
    const __int128 under = static_cast<__int128>(top.denominator) * bottom.numerator;
    if (over % under != 0) {
      return Rejection(Reason::SizeNotDivisible, top.floor(), bottom.floor(),
                       static_cast<std::int64_t>(i));
    }
  }
  return Ok{};
}

}  // namespace cambium::expr

#include "expr/monomial.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace cambium::expr {
namespace {

bool representable(std::int64_t n) {
  return n != std::numeric_limits<std::int64_t>::min();
}

}  // namespace

std::optional<Monomial> multiply(const Monomial& a, const Monomial& b) {
  Monomial result{0, a.powers};
  if (a.factor == 0 || b.factor == 0) return Monomial::of(0);
  if (__builtin_mul_overflow(a.factor, b.factor, &result.factor)) return std::nullopt;
  if (!representable(result.factor) || !result.powers.add(b.powers)) return std::nullopt;
  return result;
}

std::optional<Monomial> divide_exact(const Monomial& a, const Monomial& b) {
  if (b.factor == 0 || a.factor % b.factor != 0) return std::nullopt;
  if (a.factor == 0) return a;
  Monomial result{a.factor / b.factor, a.powers};
  if (!result.powers.add(b.powers, -1)) return std::nullopt;
  return result;
}

std::optional<Monomial> add_like(const Monomial& a, const Monomial& b) {
  Monomial result{0, a.powers};
  if (__builtin_add_overflow(a.factor, b.factor, &result.factor)) return std::nullopt;
  if (!representable(result.factor)) return std::nullopt;
  if (result.factor == 0) return Monomial::of(0);
  return result;
}

Monomial negate(const Monomial& a) {
  return {-a.factor, a.powers};
}

Monomial common_divisor(const Monomial& a, const Monomial& b) {
  Monomial result{std::gcd(a.factor, b.factor), Powers{}};
  if (a.is_number() && b.is_number()) return result;
  for (std::uint8_t i = 0; i < kMaxVars; ++i) {
    const SizeVar v{i};
    const bool fits = result.powers.set(v, std::min(a.powers[v], b.powers[v]));
    CAMBIUM_CHECK(fits, "the lesser of two powers is a power");
  }
  return result;
}

}  // namespace cambium::expr

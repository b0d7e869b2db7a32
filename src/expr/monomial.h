// Monomial: a whole number of either sign times powers of size variables, the constants of index
// expressions (3, -1, 4*W, Ci/g). A Size is a positive monomial. Arithmetic returns nothing on
// overflow, and simplification then leaves the expression unchanged.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "expr/size.h"

namespace cambium::expr {

struct Monomial {
  std::int64_t factor;  // never the most negative 64-bit number, so that it can be negated
  Powers powers;        // all zero when the factor is zero

  static constexpr Monomial of(std::int64_t number) { return {number, Powers{}}; }
  static Monomial of(const Size& size) { return {size.factor(), size.powers()}; }

  bool is_number() const { return powers.all_zero(); }
  bool is(std::int64_t number) const { return factor == number && is_number(); }
  Size magnitude() const { return Size(factor < 0 ? -factor : factor, powers); }  // not of zero

  friend bool operator==(const Monomial&, const Monomial&) = default;
};

std::optional<Monomial> multiply(const Monomial& a, const Monomial& b);
// The exact quotient, if the numbers divide. Powers may become negative.
std::optional<Monomial> divide_exact(const Monomial& a, const Monomial& b);
// The sum of two with equal powers.
std::optional<Monomial> add_like(const Monomial& a, const Monomial& b);
Monomial negate(const Monomial& a);
// The greatest common divisor: of the numbers, and the lesser power of each variable. Positive.
Monomial common_divisor(const Monomial& a, const Monomial& b);

// Rounding toward minus infinity; b > 0.
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}
constexpr std::int64_t floor_mod(std::int64_t a, std::int64_t b) {
  return a % b + (a % b < 0 ? b : 0);
}

}  // namespace cambium::expr

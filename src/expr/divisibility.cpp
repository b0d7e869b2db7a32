#include "expr/divisibility.h"

#include <numeric>

namespace cambium::expr {
namespace {

constexpr std::int64_t kLarge = std::int64_t{1} << 31;  // products of two stay in 64 bits

Residue reduced(std::int64_t modulus, std::int64_t remainder) {
  if (modulus >= kLarge) return {};
  return {modulus, modulus == 0 ? remainder : floor_mod(remainder, modulus)};
}

Residue sum_of(const Residue& a, const Residue& b) {
  std::int64_t remainder = 0;
  if (__builtin_add_overflow(a.remainder, b.remainder, &remainder)) return {};
  return reduced(std::gcd(a.modulus, b.modulus), remainder);
}

Residue product_of(const Residue& a, std::int64_t c) {
  std::int64_t modulus = 0;
  std::int64_t remainder = 0;
  if (__builtin_mul_overflow(a.modulus, c < 0 ? -c : c, &modulus) ||
      __builtin_mul_overflow(a.remainder, c, &remainder)) {
    return {};
  }
  return reduced(modulus, remainder);
}

// The most that is true of both: a = b modulo the result.
Residue either_of(const Residue& a, const Residue& b) {
  std::int64_t apart = 0;
  if (__builtin_sub_overflow(a.remainder, b.remainder, &apart)) return {};
  return reduced(std::gcd(std::gcd(a.modulus, b.modulus), apart), a.remainder);
}

}  // namespace

bool provably_divisible(const Context& cx, Expr e, const Monomial& c) {
  switch (e->kind) {
    case Kind::Const: {
      if (value_of(e).factor == 0) return true;
      if (const auto q = divide_exact(value_of(e), c)) return cx.is_integer(*q);
      return !cx.bindings().empty() &&
             require_divides(c.magnitude(), value_of(e).magnitude(), cx.bindings()).ok();
    }
    case Kind::Add:
    case Kind::Min:
    case Kind::Max:
    case Kind::Mod: return provably_divisible(cx, e->a, c) && provably_divisible(cx, e->b, c);
    case Kind::Mul: {
      const Monomial& factor = value_of(e->b);
      if (factor.factor == 0 || provably_divisible(cx, e->b, c)) return true;
      const auto left = divide_exact(c, common_divisor(c, factor));
      return left && !left->powers.any_negative() && provably_divisible(cx, e->a, *left);
    }
    case Kind::Div: {
      const auto whole = multiply(c, value_of(e->b));
      return whole && provably_divisible(cx, e->a, *whole);
    }
    case Kind::Bool:
    case Kind::Axis:
    case Kind::Less:
    case Kind::Equal:
    case Kind::And:
    case Kind::Or:
    case Kind::Not: break;
  }
  return c.is(1) || (e->range.is_single() && e->range.lo == 0);
}

Residue residue_of(Expr e) {
  if (e->range.is_single() && !e->symbolic) return {0, e->range.lo};
  switch (e->kind) {
    case Kind::Const:
      return value_of(e).powers.any_negative() ? Residue{}
                                               : reduced(value_of(e).magnitude().factor(), 0);
    case Kind::Add: return sum_of(residue_of(e->a), residue_of(e->b));
    case Kind::Mul: {
      const Monomial& c = value_of(e->b);
      if (c.is_number()) return product_of(residue_of(e->a), c.factor);
      return c.powers.any_negative() ? Residue{} : reduced(c.magnitude().factor(), 0);
    }
    case Kind::Div: {
      const Monomial& c = value_of(e->b);
      const Residue a = residue_of(e->a);
      if (!c.is_number() || a.modulus == 0 || a.modulus % c.factor != 0) return {};
      return reduced(a.modulus / c.factor, floor_div(a.remainder, c.factor));
    }
    case Kind::Mod: {
      const Monomial& c = value_of(e->b);
      const Residue a = residue_of(e->a);
      if (!c.is_number() || c.factor >= kLarge) return {};
      // x % c differs from x by a multiple of c.
      return reduced(std::gcd(a.modulus, c.factor), a.remainder);
    }
    case Kind::Min:
    case Kind::Max: return either_of(residue_of(e->a), residue_of(e->b));
    case Kind::Bool:
    case Kind::Axis:
    case Kind::Less:
    case Kind::Equal:
    case Kind::And:
    case Kind::Or:
    case Kind::Not: break;
  }
  return {};
}

}  // namespace cambium::expr

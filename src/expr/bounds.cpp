#include "expr/bounds.h"

#include <algorithm>
#include <vector>

namespace cambium::expr {
namespace {

constexpr Monomial kOne = Monomial::of(1);
constexpr Monomial kMinusOne = Monomial::of(-1);

using MaybePolynomial = std::optional<Polynomial>;

MaybePolynomial polynomial(const Monomial& value) {
  Polynomial p;
  if (!p.add(value)) return std::nullopt;
  return p;
}

MaybePolynomial combine(const MaybePolynomial& a, const MaybePolynomial& b,
                        const Monomial& scale_of_b) {
  if (!a || !b) return std::nullopt;
  Polynomial sum = *a;
  if (!sum.add_scaled(*b, scale_of_b)) return std::nullopt;
  return sum;
}

MaybePolynomial plus(const MaybePolynomial& a, std::int64_t number) {
  if (!a) return std::nullopt;
  Polynomial sum = *a;
  if (!sum.add(Monomial::of(number))) return std::nullopt;
  return sum;
}

MaybePolynomial scaled(const MaybePolynomial& a, const Monomial& scale) {
  return combine(Polynomial{}, a, scale);
}

bool not_negative(const Context& cx, const MaybePolynomial& p) {
  return p && provably_not_negative(cx, *p);
}

// a >= b wherever both are known.
bool at_least(const Context& cx, const MaybePolynomial& a, const MaybePolynomial& b) {
  return not_negative(cx, combine(a, b, kMinusOne));
}

// Takes out of p what c divides: p = c*whole + rest, numbers rounding down.
bool divide(const Context& cx, const Polynomial& p, const Monomial& c, Polynomial& whole,
            Polynomial& rest) {
  for (const Monomial& term : p.terms()) {
    if (const auto q = cx.whole_quotient(term, c)) {
      if (!whole.add(*q)) return false;
    } else if (term.is_number() && c.is_number()) {
      if (!whole.add(Monomial::of(floor_div(term.factor, c.factor))) ||
          !rest.add(Monomial::of(floor_mod(term.factor, c.factor)))) {
        return false;
      }
    } else if (!rest.add(term)) {
      return false;
    }
  }
  return true;
}

// floor(p / c) from below or above.
MaybePolynomial divided(const Context& cx, const MaybePolynomial& p, const Monomial& c,
                        bool from_below) {
  Polynomial whole;
  Polynomial rest;
  if (!p || !divide(cx, *p, c, whole, rest)) return std::nullopt;
  if (rest.terms().empty()) return whole;
  const MaybePolynomial divisor = polynomial(c);
  if (from_below) {
    if (provably_not_negative(cx, rest)) return whole;
    return not_negative(cx, combine(divisor, rest, kOne)) ? plus(whole, -1) : std::nullopt;
  }
  if (not_negative(cx, plus(scaled(rest, kMinusOne), -1))) return plus(whole, -1);
  return at_least(cx, plus(divisor, -1), rest) ? MaybePolynomial(whole) : std::nullopt;
}

SizeRange compute(Context& cx, Expr e) {
  const auto range = [&cx](Expr operand) { return size_range(cx, operand); };
  switch (e->kind) {
    case Kind::Const: return {polynomial(value_of(e)), polynomial(value_of(e))};
    case Kind::Axis: return {Polynomial{}, plus(range(extent_of(e)).hi, -1)};
    case Kind::Add: {
      const SizeRange a = range(e->a);
      const SizeRange b = range(e->b);
      return {combine(a.lo, b.lo, kOne), combine(a.hi, b.hi, kOne)};
    }
    case Kind::Mul: {
      const SizeRange a = range(e->a);
      const Monomial& c = value_of(e->b);
      return c.factor >= 0 ? SizeRange{scaled(a.lo, c), scaled(a.hi, c)}
                           : SizeRange{scaled(a.hi, c), scaled(a.lo, c)};
    }
    case Kind::Div: {
      const SizeRange a = range(e->a);
      return {divided(cx, a.lo, value_of(e->b), true), divided(cx, a.hi, value_of(e->b), false)};
    }
    case Kind::Mod: {
      const SizeRange a = range(e->a);
      const MaybePolynomial most = plus(polynomial(value_of(e->b)), -1);
      const bool can_exceed = !not_negative(cx, a.lo) || !at_least(cx, most, a.hi);
      return {Polynomial{}, can_exceed ? most : a.hi};
    }
    case Kind::Min:
    case Kind::Max: {
      const SizeRange a = range(e->a);
      const SizeRange b = range(e->b);
      // `outer` needs the more cautious end of the two, `inner` may use either.
      const bool is_min = e->kind == Kind::Min;
      const auto pick = [&](const MaybePolynomial& p, const MaybePolynomial& q, bool least,
                            bool either) -> MaybePolynomial {
        if (at_least(cx, q, p)) return least ? p : q;
        if (at_least(cx, p, q)) return least ? q : p;
        return either ? (p ? p : q) : std::nullopt;
      };
      return {pick(a.lo, b.lo, is_min, !is_min), pick(a.hi, b.hi, is_min, is_min)};
    }
    case Kind::Bool:
    case Kind::Less:
    case Kind::Equal:
    case Kind::And:
    case Kind::Or:
    case Kind::Not: break;
  }
  return {Polynomial{}, polynomial(kOne)};
}

// The value in one binding, if it is an integer of sensible size.
std::optional<__int128> value_in(const Polynomial& p, const Binding& binding) {
  __int128 sum = 0;
  for (const Monomial& term : p.terms()) {
    if (term.is_number()) {
      sum += term.factor;
      continue;
    }
    const auto value = evaluate(term.magnitude(), binding);
    if (!value.ok()) return std::nullopt;
    sum += term.factor < 0 ? -*value : *value;
  }
  return sum;
}

// Pays each negative term out of positive ones that are at least as large whatever the sizes are.
bool covered_by_form(const Polynomial& p) {
  std::array<Monomial, 8> positive;
  std::size_t count = 0;
  for (const Monomial& term : p.terms()) {
    if (term.factor > 0) positive[count++] = term;
  }
  for (const Monomial& term : p.terms()) {
    std::int64_t owed = term.factor < 0 ? -term.factor : 0;
    for (std::size_t i = 0; i < count && owed > 0; ++i) {
      Powers ratio = positive[i].powers;
      if (!ratio.add(term.powers, -1)) continue;
      if (!ratio.any_negative()) {
        const std::int64_t paid = std::min(owed, positive[i].factor);
        owed -= paid;
        positive[i].factor -= paid;
      } else if (term.is_number() && positive[i].factor > 0) {
        // A quotient of sizes such as Ci/g is an integer, so at least one, used up at once.
        owed -= 1;
        positive[i].factor = 0;
      }
    }
    if (owed > 0) return false;
  }
  return true;
}

// Adds what scale*e is at least to the sum. Where e has no end of its own, such as i < (H + 3)/4,
// the division is given up for its multiple: 4*((H + 3)/4) <= H + 3.
bool add_least(Context& cx, Expr e, const Monomial& scale, Polynomial& sum) {
  const SizeRange& range = size_range(cx, e);
  const MaybePolynomial& end = scale.factor > 0 ? range.lo : range.hi;
  if (end) return sum.add_scaled(*end, scale);
  switch (e->kind) {
    case Kind::Axis:
      return scale.factor < 0 && add_least(cx, extent_of(e), scale, sum) && sum.add(negate(scale));
    case Kind::Add: return add_least(cx, e->a, scale, sum) && add_least(cx, e->b, scale, sum);
    case Kind::Mul: {
      const auto product = multiply(value_of(e->b), scale);
      return product && add_least(cx, e->a, *product, sum);
    }
    case Kind::Div: {
      const auto q = cx.whole_quotient(scale, value_of(e->b));
      if (!q || !add_least(cx, e->a, *q, sum)) return false;
      return scale.factor < 0 || (sum.add(negate(scale)) && sum.add(*q));  // x/c*c > x - c
    }
    case Kind::Const:
    case Kind::Bool:
    case Kind::Mod:
    case Kind::Min:
    case Kind::Max:
    case Kind::Less:
    case Kind::Equal:
    case Kind::And:
    case Kind::Or:
    case Kind::Not: break;
  }
  return false;
}

}  // namespace

bool Polynomial::add(const Monomial& term) {
  if (term.factor == 0) return true;
  for (std::size_t i = 0; i < size_; ++i) {
    if (terms_[i].powers != term.powers) continue;
    const auto sum = add_like(terms_[i], term);
    if (!sum) return false;
    terms_[i] = *sum;
    if (sum->factor == 0) terms_[i] = terms_[--size_];
    return true;
  }
  if (size_ == kRoom) return false;
  terms_[size_++] = term;
  return true;
}

bool Polynomial::add_scaled(const Polynomial& other, const Monomial& scale) {
  return std::all_of(other.terms().begin(), other.terms().end(), [&](const Monomial& term) {
    const auto product = multiply(term, scale);
    return product && add(*product);
  });
}

const SizeRange& size_range(Context& cx, Expr e) {
  if (e->size_range == nullptr) {
    SizeRange found;
    if (e->symbolic) found = compute(cx, e);
    if (!found.lo && e->range.lo != -Interval::kInfinity)
      found.lo = polynomial(Monomial::of(e->range.lo));
    if (!found.hi && e->range.hi != Interval::kInfinity)
      found.hi = polynomial(Monomial::of(e->range.hi));
    e->size_range = cx.arena().make(std::move(found));
  }
  return *e->size_range;
}

bool provably_not_negative(const Context& cx, const Polynomial& p) {
  if (covered_by_form(p)) return true;
  if (cx.bindings().empty()) return false;
  return std::all_of(cx.bindings().begin(), cx.bindings().end(), [&](const Binding& binding) {
    const auto value = value_in(p, binding);
    return value && *value >= 0;
  });
}

bool provably_not_negative(Context& cx, const Linear& difference) {
  const Interval range = difference.range(cx);
  if (range.lo >= 0) return true;
  if (range.hi < 0 || !difference.symbolic()) return false;
  Polynomial least;
  for (const Term& term : difference.terms()) {
    if (!(term.atom == nullptr ? least.add(term.coefficient)
                               : add_least(cx, term.atom, term.coefficient, least))) {
      return false;
    }
  }
  return provably_not_negative(cx, least);
}

bool provably_less_equal(Context& cx, Expr x, Expr y) {
  Linear difference;
  return difference.add_scaled(y, kOne) && difference.add_scaled(x, kMinusOne) &&
         provably_not_negative(cx, difference);
}

bool provably_less(Context& cx, Expr x, Expr y) {
  Linear difference;
  return difference.add_scaled(y, kOne) && difference.add_scaled(x, kMinusOne) &&
         difference.add(kMinusOne, nullptr) && provably_not_negative(cx, difference);
}

}  // namespace cambium::expr

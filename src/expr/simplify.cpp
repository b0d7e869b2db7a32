#include "expr/simplify.h"

#include <utility>

#include "expr/linear.h"
#include "expr/match.h"
#include "expr/rule_set.h"

namespace cambium::expr {
namespace {

constexpr Monomial kOne = Monomial::of(1);
constexpr Monomial kMinusOne = Monomial::of(-1);

// A few constants that may divide the terms of a sum.
class Divisors {
 public:
  // Those of the sum and, if there is one, of `whole`.
  Divisors(const Context& cx, const Linear& sum, const Monomial* whole) : cx_(cx) {
    Monomial running = Monomial::of(0);
    for (const Term& term : sum.terms()) {
      if (term.atom == nullptr) continue;
      const Monomial c = {term.coefficient.magnitude().factor(), term.coefficient.powers};
      const Monomial mine = whole != nullptr ? common_divisor(c, *whole) : c;
      try_add(mine, c);
      running = running.factor == 0 ? mine : common_divisor(running, mine);
      try_add(running, c);
    }
  }
  std::span<const Monomial> all() const& { return {found_.data(), size_}; }
  std::span<const Monomial> all() && = delete;  // a loop over a temporary would outlive it

 private:
  void try_add(const Monomial& c, const Monomial& of) {
    // A quotient of sizes is only known to be an integer when it was one of the constants.
    if (c.is(1) || size_ == found_.size() || (c.powers.any_negative() && c != of)) return;
    if (cx_.range_of(c).hi == 1) return;  // one in every binding: dividing by it leads nowhere
    for (const Monomial& known : all()) {
      if (known == c) return;
    }
    found_[size_++] = c;
  }

  const Context& cx_;
  std::array<Monomial, 8> found_;
  std::size_t size_ = 0;
};

class Simplifier {
 public:
  explicit Simplifier(Context& cx) : cx_(cx), rules_(RuleSet::standard()) {
    if (cx.fired().empty()) cx.fired().resize(rules_.rows().size());
  }

  Expr run(Expr e);

 private:
  // The simple form of kind(a, b), whose operands are simple.
  Expr make(Kind kind, Expr a, Expr b);
  Expr quotient(Kind kind, Expr a, Expr c);
  Expr comparison(Kind kind, Expr a, Expr b);
  Expr commutative(Kind kind, Expr a, Expr b);
  Expr sum(Linear& terms);
  Expr keep(Expr e) {
    e->simplified = e;
    return e;
  }

  bool collect(Expr e, const Monomial& scale, Linear& into);

  // Each gives the replacement, or nullptr when no rule fits.
  Expr rewrite_tree(const CompiledRule& rule, Expr a, Expr b);
  Expr rewrite_quotient(const CompiledRule& rule, const Linear& dividend, const Monomial& c);
  Expr rewrite_difference(const CompiledRule& rule, const Linear& difference,
                          Match::Rounding rounding);
  bool rewrite_terms(Linear& terms);

  Expr finish(const CompiledRule& rule, Match& match);
  Expr instantiate(Expr pattern, Match& match);
  bool instantiate_into(Linear& into, Expr pattern, const Monomial& scale, Match& match);

  Context& cx_;
  const RuleSet& rules_;
};

Expr Simplifier::run(Expr e) {
  if (e->simplified != nullptr) return e->simplified;
  Expr result = e;
  switch (e->kind) {
    case Kind::Const:
    case Kind::Bool:
    case Kind::Axis: break;
    case Kind::Add:
    case Kind::Mul: {
      Linear terms;
      if (collect(e, kOne, terms)) {
        result = sum(terms);
      } else {  // a number does not fit: leave the sum as it is
        result = cx_.node(e->kind, run(e->a), run(e->b));
      }
      break;
    }
    case Kind::Div:
    case Kind::Mod:
    case Kind::Min:
    case Kind::Max:
    case Kind::Less:
    case Kind::Equal:
    case Kind::And:
    case Kind::Or:
    case Kind::Not: result = make(e->kind, run(e->a), e->b == nullptr ? nullptr : run(e->b)); break;
  }
  e->simplified = result;
  return result;
}

bool Simplifier::collect(Expr e, const Monomial& scale, Linear& into) {
  switch (e->kind) {
    case Kind::Const:
    case Kind::Axis: return into.add_scaled(e, scale);
    case Kind::Add: return collect(e->a, scale, into) && collect(e->b, scale, into);
    case Kind::Mul: {
      const auto product = multiply(value_of(e->b), scale);
      return product && collect(e->a, *product, into);
    }
    case Kind::Bool:
    case Kind::Div:
    case Kind::Mod:
    case Kind::Min:
    case Kind::Max:
    case Kind::Less:
    case Kind::Equal:
    case Kind::And:
    case Kind::Or:
    case Kind::Not: break;
  }
  return into.add_scaled(run(e), scale);
}

Expr Simplifier::make(Kind kind, Expr a, Expr b) {
  if (Expr known = cx_.find(kind, a, b); known != nullptr && known->simplified != nullptr) {
    return known->simplified;
  }
  switch (kind) {
    case Kind::Div:
    case Kind::Mod: return quotient(kind, a, b);
    case Kind::Less:
    case Kind::Equal: return comparison(kind, a, b);
    case Kind::Min:
    case Kind::Max:
    case Kind::And:
    case Kind::Or: return commutative(kind, a, b);
    case Kind::Const:
    case Kind::Bool:
    case Kind::Axis:
    case Kind::Add:
    case Kind::Mul:
    case Kind::Not: break;
  }
  CAMBIUM_CHECK(kind == Kind::Not, "sums are made by sum()");
  for (const CompiledRule& rule : rules_.of(kind)) {
    if (Expr result = rewrite_tree(rule, a, nullptr)) return result;
  }
  return keep(cx_.node(kind, a, nullptr));
}

Expr Simplifier::sum(Linear& terms) {
  while (rewrite_terms(terms)) {
  }
  terms.sort();
  return keep(terms.build(cx_));
}

Expr Simplifier::quotient(Kind kind, Expr a, Expr c) {
  const Monomial& divisor = value_of(c);
  if (a->kind == Kind::Const) {
    if (const auto exact = cx_.whole_quotient(value_of(a), divisor)) {
      return cx_.constant(kind == Kind::Div ? *exact : Monomial::of(0));
    }
  }
  if (!a->symbolic && !c->symbolic) {
    const Interval range = cx_.range_of(kind, a, c);
    if (range.is_single()) return cx_.constant(range.lo);
  }
  Linear dividend;
  const bool linear = dividend.add_scaled(a, kOne);
  for (const CompiledRule& rule : rules_.of(kind)) {
    Expr result = rule.shape == Shape::Tree ? rewrite_tree(rule, a, c)
                  : linear                  ? rewrite_quotient(rule, dividend, divisor)
                                            : nullptr;
    if (result != nullptr) return result;
  }
  return keep(cx_.node(kind, a, c));
}

// Puts what is subtracted on the other side, so that all coefficients are positive; constants go
// right, unless nothing else is left of the sign.
void sides_of(const Linear& difference, Linear& left, Linear& right) {
  bool atoms = false;
  bool atoms_left = false;
  for (const Term& term : difference.terms()) {
    atoms = atoms || term.atom != nullptr;
    atoms_left = atoms_left || (term.atom != nullptr && term.coefficient.factor > 0);
  }
  for (const Term& term : difference.terms()) {
    const bool by_sign = term.atom != nullptr || !atoms;
    const bool to_left = by_sign ? term.coefficient.factor > 0 : !atoms_left;
    const bool ok = to_left ? left.add(term.coefficient, term.atom)
                            : right.add(negate(term.coefficient), term.atom);
    CAMBIUM_CHECK(ok, "terms of a sum are apart already");
  }
  left.sort();
  right.sort();
}

// Equality is the same for both signs: the strongest term becomes positive.
void choose_sign(Linear& difference) {
  difference.sort();
  const Term* positive = nullptr;
  const Term* negative = nullptr;
  for (const Term& term : difference.terms()) {
    if (term.atom == nullptr) continue;
    const Term*& first = term.coefficient.factor > 0 ? positive : negative;
    if (first == nullptr) first = &term;
  }
  if (negative == nullptr) return;
  const Term turned{negate(negative->coefficient), negative->atom};
  if (positive != nullptr && !goes_before(turned, *positive)) return;
  Linear negated;
  CAMBIUM_CHECK(negated.add_scaled(difference, kMinusOne), "negation always fits");
  difference.clear();
  CAMBIUM_CHECK(difference.add_scaled(negated, kOne), "negation always fits");
}

Expr Simplifier::comparison(Kind kind, Expr a, Expr b) {
  Linear difference;
  if (!difference.add_scaled(a, kOne) || !difference.add_scaled(b, kMinusOne)) {
    return keep(cx_.node(kind, a, b));
  }
  const Interval range = difference.range(cx_);
  if (!difference.symbolic() && (kind == Kind::Less ? range.hi < 0 || range.lo >= 0
                                                    : range.is_single() || !range.contains(0))) {
    return cx_.boolean(kind == Kind::Less ? range.hi < 0 : range == Interval::exactly(0));
  }
  if (kind == Kind::Equal) choose_sign(difference);
  // An order wants a rest of 0..c-1, an equality one around zero.
  const auto rounding = kind == Kind::Less ? Match::Rounding::Down : Match::Rounding::Up;
  for (const CompiledRule& rule : rules_.of(kind)) {
    if (rule.shape != Shape::Partition) continue;
    if (Expr result = rewrite_difference(rule, difference, rounding)) return result;
  }
  Linear left;
  Linear right;
  sides_of(difference, left, right);
  Expr x = left.build(cx_);
  Expr y = right.build(cx_);
  for (const CompiledRule& rule : rules_.of(kind)) {
    if (rule.shape != Shape::Tree) continue;
    if (Expr result = rewrite_tree(rule, x, y)) return result;
  }
  return keep(cx_.node(kind, x, y));
}

Expr Simplifier::commutative(Kind kind, Expr a, Expr b) {
  if (comes_before(b, a)) std::swap(a, b);
  for (const CompiledRule& rule : rules_.of(kind)) {
    if (Expr result = rewrite_tree(rule, a, b)) return result;
  }
  return keep(cx_.node(kind, a, b));
}

Expr Simplifier::rewrite_tree(const CompiledRule& rule, Expr a, Expr b) {
  // Most rules fail on the kind of the first operand, before anything is set up.
  if (rule.left->kind != a->kind && !is_index_variable(rule.left) &&
      !is_predicate_variable(rule.left)) {
    return nullptr;
  }
  Match match(cx_);
  if (b != nullptr && !match.tree(rule.right, b)) return nullptr;
  return match.tree(rule.left, a) ? finish(rule, match) : nullptr;
}

Expr Simplifier::rewrite_quotient(const CompiledRule& rule, const Linear& dividend,
                                  const Monomial& c) {
  Match match(cx_);
  const Monomial& right = value_of(rule.right);
  if (rule.shape == Shape::Anchored) {
    for (std::size_t i = 0; i < dividend.terms().size(); ++i) {
      match.reset();
      if (!match.constant(right, c) || !match.anchored(dividend, i, rule)) continue;
      if (Expr result = finish(rule, match)) return result;
    }
    return nullptr;
  }
  if (rule.divisor_is_c) return match.partition(dividend, c) ? finish(rule, match) : nullptr;
  const Divisors divisors(cx_, dividend, &c);
  for (const Monomial& divisor : divisors.all()) {
    match.reset();
    if (!match.partition(dividend, divisor) || !match.constant(right, c)) continue;
    if (Expr result = finish(rule, match)) return result;
  }
  return nullptr;
}

Expr Simplifier::rewrite_difference(const CompiledRule& rule, const Linear& difference,
                                    Match::Rounding rounding) {
  Match match(cx_);
  const Divisors divisors(cx_, difference, nullptr);
  for (const Monomial& c : divisors.all()) {
    match.reset();
    if (!match.partition(difference, c, rounding)) continue;
    if (Expr result = finish(rule, match)) return result;
  }
  return nullptr;
}

bool Simplifier::rewrite_terms(Linear& terms) {
  bool composite = false;
  for (const Term& term : terms.terms()) {
    composite = composite || (term.atom != nullptr && term.atom->kind != Kind::Axis);
  }
  if (!composite || terms.terms().size() < 2) return false;
  Match match(cx_);
  Linear left;
  for (const CompiledRule& rule : rules_.of(Kind::Add)) {
    for (std::size_t i = 0; i < terms.terms().size(); ++i) {
      Expr atom = terms.terms()[i].atom;
      if (atom == nullptr || atom->kind != rule.terms[0].atom->kind) continue;
      match.reset();
      if (!match.terms(terms, i, rule, left) || !match.proves(rule)) continue;
      if (!instantiate_into(left, rule.result, match.scale(), match)) continue;
      ++cx_.fired()[rule.index];
      terms.clear();
      return terms.add_scaled(left, kOne);
    }
  }
  return false;
}

Expr Simplifier::finish(const CompiledRule& rule, Match& match) {
  if (!match.proves(rule)) return nullptr;
  Expr result = instantiate(rule.result, match);
  if (result != nullptr) ++cx_.fired()[rule.index];
  return result;
}

Expr Simplifier::instantiate(Expr pattern, Match& match) {
  if (is_predicate_variable(pattern)) return match.predicate_of(pattern);
  switch (pattern->kind) {
    case Kind::Bool: return cx_.boolean(truth_of(pattern));
    case Kind::Const: {
      const auto value = match.value(value_of(pattern));
      return value ? cx_.constant(*value) : nullptr;
    }
    case Kind::Axis:
      if (match.sum_of(pattern) == nullptr) return match.node_of(pattern);
      [[fallthrough]];
    case Kind::Add:
    case Kind::Mul: {
      Linear terms;
      return instantiate_into(terms, pattern, kOne, match) ? sum(terms) : nullptr;
    }
    case Kind::Div:
    case Kind::Mod:
    case Kind::Min:
    case Kind::Max:
    case Kind::Less:
    case Kind::Equal:
    case Kind::And:
    case Kind::Or:
    case Kind::Not: break;
  }
  Expr a = instantiate(pattern->a, match);
  if (a == nullptr) return nullptr;
  if (pattern->b == nullptr) return make(pattern->kind, a, nullptr);
  Expr b = instantiate(pattern->b, match);
  return b == nullptr ? nullptr : make(pattern->kind, a, b);
}

bool Simplifier::instantiate_into(Linear& into, Expr pattern, const Monomial& scale, Match& match) {
  switch (pattern->kind) {
    case Kind::Add:
      return instantiate_into(into, pattern->a, scale, match) &&
             instantiate_into(into, pattern->b, scale, match);
    case Kind::Mul: {
      const auto value = match.value(value_of(pattern->b));
      const auto product = value ? multiply(*value, scale) : std::nullopt;
      return product && instantiate_into(into, pattern->a, *product, match);
    }
    case Kind::Axis:
      if (const Linear* terms = match.sum_of(pattern)) return into.add_scaled(*terms, scale);
      return into.add_scaled(match.node_of(pattern), scale);
    case Kind::Const:
    case Kind::Bool:
    case Kind::Div:
    case Kind::Mod:
    case Kind::Min:
    case Kind::Max:
    case Kind::Less:
    case Kind::Equal:
    case Kind::And:
    case Kind::Or:
    case Kind::Not: break;
  }
  Expr made = instantiate(pattern, match);
  return made != nullptr && into.add_scaled(made, scale);
}

}  // namespace

Expr simplify(Context& cx, Expr e) {
  if (e->simplified != nullptr) return e->simplified;
  return Simplifier(cx).run(e);
}

}  // namespace cambium::expr

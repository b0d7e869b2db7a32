#include "expr/match.h"

#include "expr/bounds.h"
#include "expr/divisibility.h"

namespace cambium::expr {
namespace {

constexpr Monomial kOne = Monomial::of(1);
constexpr Monomial kMinusOne = Monomial::of(-1);
constexpr std::size_t kPlaceOfC = 2;

}  // namespace

void Match::reset() {
  nodes_ = {};
  predicates_ = {};
  bound_ = 0;
  y_is_rest_ = false;
}

bool Match::tree(Expr pattern, Expr e) {
  if (is_index_variable(pattern)) return bind(nodes_[slot(pattern)], e);
  if (is_predicate_variable(pattern)) return bind(predicates_[predicate_slot(pattern)], e);
  if (pattern->kind != e->kind) return false;
  switch (pattern->kind) {
    case Kind::Const: return constant(value_of(pattern), value_of(e));
    case Kind::Bool: return truth_of(pattern) == truth_of(e);
    case Kind::Not: return tree(pattern->a, e->a);
    case Kind::Axis:
    case Kind::Add:
    case Kind::Mul:
    case Kind::Div:
    case Kind::Mod:
    case Kind::Min:
    case Kind::Max:
    case Kind::Less:
    case Kind::Equal:
    case Kind::And:
    case Kind::Or: break;
  }
  return tree(pattern->b, e->b) && tree(pattern->a, e->a);
}

bool Match::constant(const Monomial& pattern, const Monomial& value) {
  if (pattern.is_number()) return pattern == value;
  if (value.factor == 0) return false;
  auto left = divide_exact(value, Monomial::of(pattern.factor));
  std::size_t open = kConstants;
  for (std::size_t i = 0; i < kConstants && left; ++i) {
    if (pattern.powers[SizeVar{static_cast<std::uint8_t>(i)}] == 0) continue;
    if ((bound_ >> i & 1) != 0) {
      left = divide_exact(*left, constants_[i]);
    } else {
      CAMBIUM_CHECK(open == kConstants, "a pattern leaves two constants open at once");
      open = i;
    }
  }
  if (!left) return false;
  if (open == kConstants) return left->is(1);
  if (!cx_.is_integer(*left)) {
    // Ci/g standing alone is an integer by agreement; as part of a product it must be shown to be.
    if (*left != value) return false;
  }
  constants_[open] = *left;
  bound_ = static_cast<std::uint8_t>(bound_ | 1U << open);
  return true;
}

// How many times c goes into the number of a sum, so that the least value of the rest comes to lie
// in 0..c-1, or in 1-c..0 when rounding up.
std::int64_t Match::share_of(std::int64_t number, const Monomial& c, Rounding rounding) const {
  std::int64_t least = rest_.range(cx_).lo;
  if (least == -Interval::kInfinity || __builtin_add_overflow(least, number, &least)) {
    least = number;
  }
  const bool up = rounding == Rounding::Up && floor_mod(least, c.factor) != 0;
  return floor_div(least, c.factor) + (up ? 1 : 0);
}

bool Match::partition(const Linear& sum, const Monomial& c, Rounding rounding) {
  constants_[kPlaceOfC] = c;
  bound_ |= 1U << kPlaceOfC;
  y_is_rest_ = true;
  multiple_.clear();
  rest_.clear();
  std::int64_t number = 0;
  for (const Term& term : sum.terms()) {
    if (term.atom == nullptr && term.coefficient.is_number() && c.is_number()) {
      number = term.coefficient.factor;
      continue;
    }
    const auto q = cx_.whole_quotient(term.coefficient, c);
    if (!(q ? multiple_.add(*q, term.atom) : rest_.add(term.coefficient, term.atom))) {
      return false;
    }
  }
  if (c.is_number()) {
    const std::int64_t share = share_of(number, c, rounding);
    std::int64_t taken = 0;
    if (__builtin_mul_overflow(share, c.factor, &taken) ||
        __builtin_sub_overflow(number, taken, &number) ||
        !multiple_.add(Monomial::of(share), nullptr) || !rest_.add(Monomial::of(number), nullptr)) {
      return false;
    }
  }
  return !multiple_.empty();
}

bool Match::anchored(const Linear& sum, std::size_t i, const CompiledRule& rule) {
  const Term& anchor = sum.terms()[i];
  if (anchor.atom == nullptr || !tree(rule.terms[0].atom, anchor.atom) ||
      !constant(rule.terms[0].coefficient, anchor.coefficient)) {
    return false;
  }
  y_is_rest_ = true;
  rest_.clear();
  for (std::size_t j = 0; j < sum.terms().size(); ++j) {
    if (j != i && !rest_.add(sum.terms()[j].coefficient, sum.terms()[j].atom)) return false;
  }
  return true;
}

bool Match::terms(const Linear& sum, std::size_t i, const CompiledRule& rule, Linear& left) {
  const Term& first = sum.terms()[i];
  if (first.atom == nullptr || !tree(rule.terms[0].atom, first.atom)) return false;
  // All terms may be multiplied by one constant, which the first of them tells.
  const auto unit = value(rule.terms[0].coefficient);
  const auto scale = unit ? divide_exact(first.coefficient, *unit) : std::nullopt;
  if (!scale || !cx_.is_integer(*scale)) return false;
  scale_ = *scale;
  left.clear();
  if (!left.add_scaled(sum, kOne) || !left.add(negate(first.coefficient), first.atom)) return false;
  for (std::size_t k = 1; k < rule.terms.size(); ++k) {
    if (!take_term(sum, rule.terms[k], left)) return false;
  }
  return true;
}

// Takes what the pattern says, all of whose constants are bound by now or by the term's atom, out
// of `left`.
bool Match::take_term(const Linear& sum, const Term& pattern, Linear& left) {
  if (is_index_variable(pattern.atom)) {
    const auto unit = value(pattern.coefficient);
    const auto wanted = unit ? multiply(*unit, scale_) : std::nullopt;
    Linear variable;
    return wanted && variable.add_scaled(node_of(pattern.atom), kOne) &&
           left.contains(variable, *wanted) && left.add_scaled(variable, negate(*wanted));
  }
  for (const Term& term : sum.terms()) {
    if (term.atom == nullptr || term.atom->kind != pattern.atom->kind) continue;
    const auto saved = constants_;
    const std::uint8_t saved_bound = bound_;
    if (tree(pattern.atom, term.atom)) {
      const auto unit = value(pattern.coefficient);
      const auto wanted = unit ? multiply(*unit, scale_) : std::nullopt;
      if (wanted && *wanted == term.coefficient) {
        return left.add(negate(term.coefficient), term.atom);
      }
    }
    constants_ = saved;
    bound_ = saved_bound;
  }
  return false;
}

std::optional<Monomial> Match::value(const Monomial& pattern) const {
  std::optional<Monomial> result = Monomial::of(pattern.factor);
  for (std::size_t i = 0; i < kConstants && result; ++i) {
    const int power = pattern.powers[SizeVar{static_cast<std::uint8_t>(i)}];
    for (int p = 0; p < power && result; ++p) result = multiply(*result, constants_[i]);
    for (int p = 0; p < -power && result; ++p) result = divide_exact(*result, constants_[i]);
  }
  return result;
}

const Linear* Match::sum_of(Expr variable) const {
  const char name = name_of(variable)[0];
  if (name == 'm') return &multiple_;
  return name == 'y' && y_is_rest_ ? &rest_ : nullptr;
}

bool Match::append(Linear& into, Expr pattern, const Monomial& scale) const {
  switch (pattern->kind) {
    case Kind::Const: {
      const auto constant = value(value_of(pattern));
      const auto product = constant ? multiply(*constant, scale) : std::nullopt;
      return product && into.add(*product, nullptr);
    }
    case Kind::Add: return append(into, pattern->a, scale) && append(into, pattern->b, scale);
    case Kind::Mul: {
      const auto constant = value(value_of(pattern->b));
      const auto product = constant ? multiply(*constant, scale) : std::nullopt;
      return product && append(into, pattern->a, *product);
    }
    case Kind::Bool:
    case Kind::Axis:
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
  CAMBIUM_CHECK(is_index_variable(pattern), "a guard compares sums of variables");
  if (const Linear* sum = sum_of(pattern)) return into.add_scaled(*sum, scale);
  return into.add_scaled(node_of(pattern), scale);
}

// Most guards compare a variable with a number; its range answers without any sum.
std::optional<bool> Match::compare_by_range(Expr lesser, Expr greater, std::int64_t slack) const {
  const auto range = [this](Expr pattern) -> Interval {
    if (pattern->kind == Kind::Const) {
      const auto constant = value(value_of(pattern));
      return constant ? cx_.range_of(*constant) : Interval{};
    }
    if (!is_index_variable(pattern)) return {};
    const Linear* sum = sum_of(pattern);
    return sum != nullptr ? sum->range(cx_) : node_of(pattern)->range;
  };
  const Interval least = range(lesser);
  const Interval most = range(greater);
  if (least.hi != Interval::kInfinity && most.lo != -Interval::kInfinity &&
      least.hi <= most.lo - slack) {
    return true;
  }
  if (least.lo != -Interval::kInfinity && most.hi != Interval::kInfinity && least.lo > most.hi) {
    return false;
  }
  return std::nullopt;
}

// lesser + slack <= greater
bool Match::not_greater(Expr lesser, Expr greater, std::int64_t slack) {
  if (const auto known = compare_by_range(lesser, greater, slack)) return *known;
  Linear difference;
  return append(difference, greater, kOne) && append(difference, lesser, kMinusOne) &&
         difference.add(Monomial::of(-slack), nullptr) && provably_not_negative(cx_, difference);
}

bool Match::holds(Expr condition) {
  if (condition->kind == Kind::Less) return not_greater(condition->a, condition->b, 1);
  if (condition->kind == Kind::Not && condition->a->kind == Kind::Less) {
    return not_greater(condition->a->b, condition->a->a, 0);
  }
  CAMBIUM_CHECK(condition->kind == Kind::Equal && condition->a->kind == Kind::Mod,
                "a guard says <, <= or x % c == 0");
  const auto c = value(value_of(condition->a->b));
  return c && provably_divisible(cx_, node_of(condition->a->a), *c);
}

bool Match::proves(const CompiledRule& rule) {
  for (Expr condition : rule.guard) {
    if (!holds(condition)) return false;
  }
  return true;
}

}  // namespace cambium::expr

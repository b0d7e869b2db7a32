#include "expr/linear.h"

#include <algorithm>

namespace cambium::expr {
namespace {

int degree(const Powers& powers) {
  if (powers.all_zero()) return 0;
  int sum = 0;
  for (std::uint8_t i = 0; i < kMaxVars; ++i) sum += powers[SizeVar{i}];
  return sum;
}

}  // namespace

bool goes_before(const Term& s, const Term& t) {
  if ((s.atom == nullptr) != (t.atom == nullptr)) return t.atom == nullptr;
  const Monomial& a = s.coefficient;
  const Monomial& b = t.coefficient;
  if ((a.factor > 0) != (b.factor > 0)) return a.factor > 0;
  if (a.powers != b.powers) {
    const int more = degree(a.powers) - degree(b.powers);
    return more != 0 ? more > 0 : b.powers < a.powers;
  }
  if (a.factor != b.factor) return a.factor > 0 ? a.factor > b.factor : a.factor < b.factor;
  return s.atom != nullptr && comes_before(s.atom, t.atom);
}

void Linear::push(const Term& term) {
  if (size_ == capacity_) {
    auto larger = std::make_unique_for_overwrite<Term[]>(capacity_ * 2);
    std::copy(data_, data_ + size_, larger.get());
    heap_ = std::move(larger);
    data_ = heap_.get();
    capacity_ *= 2;
  }
  data_[size_++] = term;
}

const Term* Linear::find(const Powers& powers, Expr atom) const {
  for (const Term& term : terms()) {
    if (term.atom == atom && term.coefficient.powers == powers) return &term;
  }
  return nullptr;
}

bool Linear::add(const Monomial& coefficient, Expr atom) {
  if (coefficient.factor == 0) return true;
  const Term* found = find(coefficient.powers, atom);
  if (found == nullptr) {
    push({coefficient, atom});
    return true;
  }
  Term& like = data_[found - data_];
  const auto sum = add_like(like.coefficient, coefficient);
  if (!sum) return false;
  like.coefficient = *sum;
  if (sum->factor == 0) {
    std::copy(&like + 1, data_ + size_, &like);  // keep the order of the others
    --size_;
  }
  return true;
}

bool Linear::add_scaled(Expr e, const Monomial& scale) {
  switch (e->kind) {
    case Kind::Const: {
      const auto product = multiply(value_of(e), scale);
      return product && add(*product, nullptr);
    }
    case Kind::Add: return add_scaled(e->a, scale) && add_scaled(e->b, scale);
    case Kind::Mul: {
      const auto product = multiply(value_of(e->b), scale);
      return product && add_scaled(e->a, *product);
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
  return add(scale, e);
}

bool Linear::add_scaled(const Linear& other, const Monomial& scale) {
  for (const Term& term : other.terms()) {
    const auto product = multiply(term.coefficient, scale);
    if (!product || !add(*product, term.atom)) return false;
  }
  return true;
}

bool Linear::contains(const Linear& other, const Monomial& scale) const {
  return std::all_of(other.terms().begin(), other.terms().end(), [&](const Term& term) {
    const auto wanted = multiply(term.coefficient, scale);
    if (!wanted) return false;
    const Term* found = find(wanted->powers, term.atom);
    return found != nullptr && found->coefficient == *wanted;
  });
}

void Linear::sort() {
  if (!std::is_sorted(data_, data_ + size_, goes_before)) {
    std::sort(data_, data_ + size_, goes_before);
  }
}

Expr build(Context& cx, const Term& term) {
  if (term.atom == nullptr) return cx.constant(term.coefficient);
  if (term.coefficient.is(1)) return term.atom;
  return cx.node(Kind::Mul, term.atom, cx.constant(term.coefficient));
}

Expr Linear::build(Context& cx) const {
  if (empty()) return cx.constant(0);
  Expr sum = expr::build(cx, terms()[0]);
  for (const Term& term : terms().subspan(1)) {
    sum = cx.node(Kind::Add, sum, expr::build(cx, term));
  }
  return sum;
}

Interval Linear::range(const Context& cx) const {
  Interval sum = Interval::exactly(0);
  for (const Term& term : terms()) {
    Interval scale = Interval::exactly(term.coefficient.factor);
    if (!term.coefficient.is_number()) scale = cx.range_of(term.coefficient);
    sum = expr::add(sum, term.atom == nullptr ? scale : expr::mul(term.atom->range, scale));
  }
  return sum;
}

bool Linear::symbolic() const {
  return std::any_of(terms().begin(), terms().end(), [](const Term& term) {
    return !term.coefficient.is_number() || (term.atom != nullptr && term.atom->symbolic);
  });
}

}  // namespace cambium::expr

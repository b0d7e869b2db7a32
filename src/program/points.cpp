#include "program/points.h"

#include <algorithm>

#include "expr/linear.h"
#include "expr/simplify.h"
#include "expr/substitute.h"
#include "program/analysis.h"

namespace cambium::program {
namespace {

class Matcher {
 public:
  Matcher(Context& cx, std::span<const Iterator> iterators) : cx_(cx), iterators_(iterators) {
    point_.resize(iterators.size(), nullptr);
  }

  // x/c in one dimension and x % c in another: x is c times the one plus the other.
  void join_digits(std::span<const Expr> pattern, std::span<const Expr> at) {
    for (std::size_t high = 0; high < pattern.size(); ++high) {
      const Expr h = pattern[high];
      if (h->kind != expr::Kind::Div || !is_open(h->a)) continue;
      for (std::size_t low = 0; low < pattern.size(); ++low) {
        const Expr l = pattern[low];
        if (l->kind != expr::Kind::Mod || l->a != h->a || l->b != h->b) continue;
        bind(h->a, expr::add(cx_.indices(),
                             expr::mul(cx_.indices(), at[high], expr::value_of(h->b)), at[low]));
        break;
      }
    }
  }

  void match(Expr pattern, Expr at) {
    if (is_open(pattern)) {
      bind(pattern, at);
      return;
    }
    const bool same = pattern->kind == at->kind;
    switch (pattern->kind) {
      case expr::Kind::Div:
      case expr::Kind::Mod:
      case expr::Kind::Mul:
        if (same && pattern->b == at->b) match(pattern->a, at->a);
        return;
      case expr::Kind::Add:
        if (!match_sum(pattern, at) && same) {
          match(pattern->a, at->a);
          match(pattern->b, at->b);
        }
        return;
      case expr::Kind::Const:
      case expr::Kind::Bool:
      case expr::Kind::Axis:
      case expr::Kind::Min:
      case expr::Kind::Max:
      case expr::Kind::Less:
      case expr::Kind::Equal:
      case expr::Kind::And:
      case expr::Kind::Or:
      case expr::Kind::Not: return;
    }
  }

  // Whether the pattern is `at` at the point that was found.
  bool holds(Expr pattern, Expr at) const {
    std::vector<expr::Replacement> replacements;
    for (std::size_t i = 0; i < point_.size(); ++i) {
      if (point_[i] != nullptr) {
        replacements.push_back({iterators_[i].axis, point_[i]});
      } else if (uses(pattern, iterators_[i].axis)) {
        return false;
      }
    }
    Expr there = expr::substitute(cx_.indices(), pattern, replacements);
    return expr::simplify(cx_.indices(), there) == expr::simplify(cx_.indices(), at);
  }

  const std::vector<Expr>& point() const { return point_; }

 private:
  std::size_t position(Expr axis) const {
    std::size_t i = 0;
    while (i < iterators_.size() && iterators_[i].axis != axis) ++i;
    return i;
  }
  // An iterator whose value is not known yet.
  bool is_open(Expr e) const {
    const std::size_t i = position(e);
    return i < iterators_.size() && point_[i] == nullptr;
  }
  void bind(Expr axis, Expr value) {
    point_[position(axis)] = expr::simplify(cx_.indices(), value);
  }

  // A sum with one open iterator, which then is what the other terms leave.
  bool match_sum(Expr pattern, Expr at) {
    expr::Linear sum, rest;
    const expr::Monomial one = expr::Monomial::of(1);
    const expr::Monomial minus = expr::Monomial::of(-1);
    if (!sum.add_scaled(pattern, one) || !rest.add_scaled(at, one)) return false;
    const expr::Term* open = nullptr;
    for (const expr::Term& term : sum.terms()) {
      const std::vector<Expr> axes =
          term.atom == nullptr ? std::vector<Expr>{} : axes_of(term.atom);
      if (std::any_of(axes.begin(), axes.end(), [&](Expr axis) { return is_open(axis); })) {
        if (open != nullptr || term.atom->kind != expr::Kind::Axis) return false;
        open = &term;
        continue;
      }
      Expr known = term.atom == nullptr ? cx_.number(1) : over_point(term.atom);
      if (known == nullptr || !rest.add_scaled(known, expr::negate(term.coefficient))) return false;
    }
    if (open == nullptr || !(open->coefficient.is(1) || open->coefficient.is(-1))) return false;
    expr::Linear value;
    if (!value.add_scaled(rest, open->coefficient.is(1) ? one : minus)) return false;
    bind(open->atom, value.build(cx_.indices()));
    return true;
  }

  // An expression over iterators that are known.
  Expr over_point(Expr e) const {
    std::vector<expr::Replacement> replacements;
    for (Expr axis : axes_of(e)) {
      const std::size_t i = position(axis);
      if (i == iterators_.size() || point_[i] == nullptr) return nullptr;
      replacements.push_back({axis, point_[i]});
    }
    return expr::substitute(cx_.indices(), e, replacements);
  }

  Context& cx_;
  std::span<const Iterator> iterators_;
  std::vector<Expr> point_;
};

}  // namespace

std::optional<std::vector<Expr>> point_at(Context& cx, std::span<const Iterator> iterators,
                                          std::span<const Expr> pattern, std::span<const Expr> at) {
  if (pattern.size() != at.size()) return std::nullopt;
  Matcher matcher(cx, iterators);
  matcher.join_digits(pattern, at);
  // Iterators alone first: sums of several then have fewer that are open.
  for (const bool alone : {true, false}) {
    for (std::size_t d = 0; d < pattern.size(); ++d) {
      if ((pattern[d]->kind == expr::Kind::Axis) == alone) matcher.match(pattern[d], at[d]);
    }
  }
  for (std::size_t d = 0; d < pattern.size(); ++d) {
    if (!matcher.holds(pattern[d], at[d])) return std::nullopt;
  }
  return matcher.point();
}

}  // namespace cambium::program

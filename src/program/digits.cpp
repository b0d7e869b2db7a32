#include "program/digits.h"

#include <algorithm>
#include <string>

#include "expr/simplify.h"
#include "expr/substitute.h"

namespace cambium::program {
namespace {

// The numbers at which an axis is cut.
void add_cuts(Expr e, Expr axis, std::vector<std::int64_t>& cuts) {
  if (expr::info(e->kind).operands == 0) return;
  const bool divides = e->kind == expr::Kind::Div || e->kind == expr::Kind::Mod;
  if (divides && e->a == axis) {
    cuts.push_back(expr::value_of(e->b).factor);
    return;
  }
  if (e->kind == expr::Kind::Mod && e->a->kind == expr::Kind::Div && e->a->a == axis) {
    std::int64_t upper = 0;
    const std::int64_t lower = expr::value_of(e->a->b).factor;
    if (__builtin_mul_overflow(lower, expr::value_of(e->b).factor, &upper)) return;
    cuts.push_back(lower);
    cuts.push_back(upper);
    return;
  }
  add_cuts(e->a, axis, cuts);
  if (e->b != nullptr) add_cuts(e->b, axis, cuts);
}

// The axis as a sum over its digits, which join `axes`; nullptr: it stays whole.
Expr over_digits(Context& cx, Expr axis, std::vector<std::int64_t> cuts, std::vector<Expr>& axes) {
  const std::int64_t extent = expr::value_of(expr::extent_of(axis)).factor;
  cuts.push_back(1);
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  while (cuts.back() >= extent && cuts.size() > 1) cuts.pop_back();
  if (cuts.size() == 1) return nullptr;
  cuts.push_back(extent);
  for (std::size_t i = 1; i < cuts.size(); ++i) {
    if (cuts[i] % cuts[i - 1] != 0) return nullptr;
  }
  Expr sum = cx.number(0);
  for (std::size_t i = cuts.size() - 1; i-- > 0;) {
    // No loop or iterator begins like this, so the digits are nobody else's axes.
    const std::string name = "_digit." + std::to_string(i) + "." + std::string(expr::name_of(axis));
    axes.push_back(cx.axis(name, cuts[i + 1] / cuts[i]));
    sum = expr::add(cx.indices(), sum,
                    expr::mul(cx.indices(), axes.back(), expr::Monomial::of(cuts[i])));
  }
  return sum;
}

}  // namespace

Digits split_digits(Context& cx, std::span<const Expr> axes, std::span<const Expr> all) {
  Digits digits{{}, {all.begin(), all.end()}};
  std::vector<expr::Replacement> replacements;
  for (Expr axis : axes) {
    std::vector<std::int64_t> cuts;
    for (Expr e : all) add_cuts(e, axis, cuts);
    Expr sum = cuts.empty() ? nullptr : over_digits(cx, axis, std::move(cuts), digits.axes);
    if (sum == nullptr) {
      digits.axes.push_back(axis);
    } else {
      replacements.push_back({axis, sum});
    }
  }
  if (replacements.empty()) return digits;
  for (Expr& e : digits.all) {
    Expr changed = expr::substitute(cx.indices(), e, replacements);
    if (changed != e) e = expr::simplify(cx.indices(), changed);
  }
  return digits;
}

}  // namespace cambium::program

#include "program/region.h"

#include <algorithm>
#include <cmath>

#include "expr/linear.h"
#include "expr/simplify.h"
#include "program/analysis.h"
#include "program/digits.h"

namespace cambium::program {
namespace {

// Whether a sum of distinct axes takes every value between its ends: 4*a + b does for b < 4.
bool is_dense(std::vector<std::pair<std::int64_t, std::int64_t>> radix) {  // |stride|, extent
  std::sort(radix.begin(), radix.end());
  std::int64_t reach = 0;
  for (const auto& [stride, extent] : radix) {
    if (extent > 1 && stride > reach + 1) return false;
    std::int64_t more = 0;
    if (__builtin_mul_overflow(stride, extent - 1, &more) ||
        __builtin_add_overflow(reach, more, &reach)) {
      return false;
    }
  }
  return true;
}

// `stands` says which axes do not move.
template <class F>
Box box(Context& cx, std::span<const Expr> at, const F& stands) {
  Box made;
  std::vector<Expr> taken;  // moving axes of the sides so far
  for (Expr index : at) {
    expr::Linear sum, base, moving;
    bool fits = sum.add_scaled(index, expr::Monomial::of(1));
    std::vector<std::pair<std::int64_t, std::int64_t>> radix;
    for (const expr::Term& term : sum.terms()) {
      const std::vector<Expr> axes =
          term.atom == nullptr ? std::vector<Expr>{} : axes_of(term.atom);
      const bool is_base = std::all_of(axes.begin(), axes.end(), stands);
      fits = (is_base ? base : moving).add(term.coefficient, term.atom) && fits;
      if (is_base) continue;
      if (std::any_of(axes.begin(), axes.end(), stands)) made.is_mixed = true;
      const bool fresh = term.atom->kind == expr::Kind::Axis &&
                         std::find(taken.begin(), taken.end(), term.atom) == taken.end();
      if (!fresh) made.is_exact = false;
      taken.insert(taken.end(), axes.begin(), axes.end());
      if (fresh) {
        radix.emplace_back(std::abs(term.coefficient.factor),
                           expr::value_of(expr::extent_of(term.atom)).factor);
      }
    }
    if (!is_dense(radix)) made.is_exact = false;
    if (fits) {
      made.sides.push_back({base.build(cx.indices()), moving.range(cx.indices())});
    } else {
      made.sides.push_back({cx.number(0), index->range});
      made.is_exact = false;
    }
  }
  return made;
}

}  // namespace

Box box_of(Context& cx, const Site& site, std::span<const Expr> indices, const Loop* fixed) {
  std::vector<Expr> standing;
  for (const Loop* loop : site.loops) {
    if (fixed == nullptr) break;
    standing.push_back(loop->axis);
    if (loop == fixed) break;
  }
  std::vector<Expr> at = over_loops(cx, *site.block, indices);
  for (Expr& e : at) e = expr::simplify(cx.indices(), e);
  return box(cx, at, [&](Expr axis) {
    return std::find(standing.begin(), standing.end(), axis) != standing.end();
  });
}

Box box_over_iterators(Context& cx, std::span<const Expr> indices) {
  std::vector<Expr> axes;
  for (Expr e : indices) {
    for (Expr axis : axes_of(e)) {
      if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
    }
  }
  return box(cx, split_digits(cx, axes, indices).all, [](Expr) { return false; });
}

std::optional<std::int64_t> distance(Context& cx, Expr x, Expr y) {
  expr::Linear sum;
  if (!sum.add_scaled(y, expr::Monomial::of(1)) || !sum.add_scaled(x, expr::Monomial::of(-1))) {
    return std::nullopt;
  }
  const expr::Interval range = sum.range(cx.indices());
  if (!range.is_single()) return std::nullopt;
  return range.lo;
}

std::optional<Side> united(Context& cx, const Side& a, const Side& b) {
  const auto shift = distance(cx, a.base, b.base);
  if (!shift) return std::nullopt;
  const expr::Interval moved = expr::add(b.range, expr::Interval::exactly(*shift));
  return Side{a.base, {std::min(a.range.lo, moved.lo), std::max(a.range.hi, moved.hi)}};
}

bool cover(std::span<const Region> regions, const Region& wanted) {
  for (const Region& region : regions) {
    bool meets = true;
    for (std::size_t d = 0; d < wanted.size(); ++d) {
      meets = meets && region[d].lo <= wanted[d].hi && wanted[d].lo <= region[d].hi;
    }
    if (!meets) continue;
    // What of the wanted box lies beside this region, one side after another, must be covered too.
    Region rest = wanted;
    for (std::size_t d = 0; d < wanted.size(); ++d) {
      Region below = rest;
      below[d].hi = region[d].lo - 1;
      if (below[d].lo <= below[d].hi && !cover(regions, below)) return false;
      Region above = rest;
      above[d].lo = region[d].hi + 1;
      if (above[d].lo <= above[d].hi && !cover(regions, above)) return false;
      rest[d] = {std::max(rest[d].lo, region[d].lo), std::min(rest[d].hi, region[d].hi)};
    }
    return true;
  }
  return false;
}

const Loop* common_loop(const Site& a, const Site& b) {
  const Loop* common = nullptr;
  for (std::size_t i = 0; i < a.loops.size() && i < b.loops.size(); ++i) {
    if (a.loops[i] != b.loops[i]) break;
    common = a.loops[i];
  }
  return common;
}

}  // namespace cambium::program

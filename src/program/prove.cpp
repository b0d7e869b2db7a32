#include "program/prove.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "expr/linear.h"
#include "program/analysis.h"
#include "program/tape.h"

namespace cambium::program {
namespace {

constexpr std::int64_t kMostPoints = std::int64_t{1} << 16;
constexpr expr::Monomial kOne = expr::Monomial::of(1);
constexpr expr::Monomial kMinusOne = expr::Monomial::of(-1);

// greater - less - slack, as a sum.
bool difference(expr::Linear& out, Expr greater, Expr less, std::int64_t slack) {
  return out.add_scaled(greater, kOne) && out.add_scaled(less, kMinusOne) &&
         out.add(expr::Monomial::of(-slack), nullptr);
}

// Adds the sums that a fact says are not negative; of an equality both directions.
struct Sides {
  Expr greater, less;
  std::int64_t slack;
};
void add_sides(Expr fact, std::vector<Sides>& sides) {
  const bool negated = fact->kind == expr::Kind::Not;
  Expr p = negated ? fact->a : fact;
  if (p->kind == expr::Kind::Less) {
    sides.push_back(negated ? Sides{p->a, p->b, 0} : Sides{p->b, p->a, 1});
  } else if (p->kind == expr::Kind::Equal && !negated) {
    sides.push_back({p->a, p->b, 0});
    sides.push_back({p->b, p->a, 0});
  }
}

// How often the target fits into the fact: 3 for 2*a + b and 6*a + 3*b + c. At least 1.
std::int64_t times_in(const expr::Linear& target, const expr::Linear& fact) {
  for (const expr::Term& mine : target.terms()) {
    for (const expr::Term& theirs : fact.terms()) {
      if (mine.atom == nullptr || theirs.atom != mine.atom) continue;
      const auto times = divide_exact(theirs.coefficient, mine.coefficient);
      if (times && times->is_number() && times->factor > 1) return times->factor;
    }
  }
  return 1;
}

// Whether target >= 0 where fact >= 0. Of whole numbers target >= 0 says the same as
// n*target + n - 1 >= 0, so that 32*t + u < 256 with u < 32 gives t < 8.
bool follows(Context& cx, const expr::Linear& target, const expr::Linear& fact) {
  const std::int64_t n = times_in(target, fact);
  expr::Linear rest;
  return rest.add_scaled(target, expr::Monomial::of(n)) &&
         rest.add(expr::Monomial::of(n - 1), nullptr) && rest.add_scaled(fact, kMinusOne) &&
         rest.range(cx.indices()).lo >= 0;
}

// Whether greater - less - slack >= 0, given that each of the sides is.
bool follows(Context& cx, const Sides& wanted, std::span<const Sides> sides) {
  expr::Linear target;
  if (!difference(target, wanted.greater, wanted.less, wanted.slack)) return false;
  if (target.range(cx.indices()).lo >= 0) return true;
  return std::any_of(sides.begin(), sides.end(), [&](const Sides& known) {
    expr::Linear fact;
    return difference(fact, known.greater, known.less, known.slack) && follows(cx, target, fact);
  });
}

void merge(std::vector<Expr>& axes, const std::vector<Expr>& more) {
  for (Expr axis : more) {
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
  }
}

bool share(const std::vector<Expr>& axes, const std::vector<Expr>& more) {
  return std::any_of(more.begin(), more.end(), [&](Expr axis) {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
  });
}

// Looks at all points of the axes of e, together with those of the facts that reach them.
Within by_points(Expr e, std::int64_t lo, std::int64_t hi, std::span<const Expr> facts) {
  std::vector<Expr> axes = axes_of(e);
  std::vector<Expr> near;
  bool all = true;  // whether every fact that matters is in
  for (bool grew = true; grew;) {
    grew = false;
    for (Expr fact : facts) {
      if (std::find(near.begin(), near.end(), fact) != near.end()) continue;
      const std::vector<Expr> theirs = axes_of(fact);
      // A fact about no axis may be false, and then nothing is reached.
      if (!theirs.empty() && !share(axes, theirs)) continue;
      std::vector<Expr> wider = axes;
      merge(wider, theirs);
      if (points_of(wider) > kMostPoints) {
        all = false;
        continue;
      }
      axes = std::move(wider);
      near.push_back(fact);
      grew = true;
    }
  }
  if (points_of(axes) > kMostPoints) return {Proof::Unknown};
  Tape tape(axes);
  const std::size_t value = tape.add(e);
  std::vector<std::size_t> conditions;
  for (Expr fact : near) conditions.push_back(tape.add(fact));
  std::int64_t outside = 0;
  const bool proved = for_each_point(axes, [&](std::span<const std::int64_t> point) {
    tape.evaluate(point);
    const bool reached = std::all_of(conditions.begin(), conditions.end(),
                                     [&](std::size_t c) { return tape[c] != 0; });
    outside = tape[value];
    return !reached || (lo <= outside && outside < hi);
  });
  if (proved) return {Proof::Yes};
  return all ? Within{Proof::No, outside} : Within{Proof::Unknown};
}

}  // namespace

Within stays_within(Context& cx, Expr e, std::int64_t lo, std::int64_t hi,
                    std::span<const Expr> facts) {
  if (e->range.lo >= lo && e->range.hi < hi) return {Proof::Yes};
  std::vector<Sides> sides;
  for (Expr fact : facts) add_sides(fact, sides);
  if (follows(cx, {e, cx.number(lo), 0}, sides) && follows(cx, {cx.number(hi), e, 1}, sides)) {
    return {Proof::Yes};
  }
  return by_points(e, lo, hi, facts);
}

bool provably_at_most(Context& cx, Expr x, Expr y) {
  return follows(cx, {y, x, 0}, {});
}

bool only_bounds(Context& cx, Expr fact, Expr e, std::int64_t lo, std::int64_t hi) {
  std::vector<Sides> wanted;
  add_sides(fact, wanted);
  const Sides known[] = {{e, cx.number(lo), 0}, {cx.number(hi), e, 1}};
  return !wanted.empty() && std::all_of(wanted.begin(), wanted.end(), [&](const Sides& side) {
    return follows(cx, side, known);
  });
}

}  // namespace cambium::program

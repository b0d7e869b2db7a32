#include "schedule/steps/trim.h"

#include <algorithm>

#include "expr/linear.h"
#include "expr/simplify.h"
#include "program/analysis.h"

namespace cambium::schedule {
namespace {

using program::as_block;
using program::as_loop;
using program::as_seq;

constexpr expr::Monomial kOne = expr::Monomial::of(1);
constexpr expr::Monomial kMinusOne = expr::Monomial::of(-1);

bool is_false(Expr p) {
  return p->kind == expr::Kind::Bool && !expr::truth_of(p);
}

// How many iterations of the axis p allows at most, from the first: 16*v + l < 40 allows 3 of v.
std::int64_t allowed_by(Context& cx, Expr p, Expr axis, std::int64_t extent) {
  const bool negated = p->kind == expr::Kind::Not;
  Expr less = negated ? p->a : p;
  if (less->kind != expr::Kind::Less) return extent;
  // a < b is a - b <= -1, and its negation b - a <= 0.
  expr::Linear sum;
  if (!sum.add_scaled(less->a, negated ? kMinusOne : kOne) ||
      !sum.add_scaled(less->b, negated ? kOne : kMinusOne)) {
    return extent;
  }
  expr::Linear rest;
  std::int64_t step = 0;
  for (const expr::Term& term : sum.terms()) {
    if (term.atom == axis) {
      step = term.coefficient.factor;
    } else if (!rest.add(term.coefficient, term.atom) ||
               (term.atom != nullptr && program::uses(term.atom, axis))) {
      return extent;
    }
  }
  const std::int64_t least = rest.range(cx.indices()).lo;
  if (step <= 0 || least == -expr::Interval::kInfinity) return extent;
  const std::int64_t room = (negated ? 0 : -1) - least;  // step * axis <= room
  return std::clamp<std::int64_t>(expr::floor_div(room, step) + 1, 0, extent);
}

// The same for all blocks below s: the most that one of them allows.
std::int64_t allowed_in(Context& cx, Stmt s, Expr axis, std::int64_t extent) {
  if (const Loop* loop = as_loop(s)) return allowed_in(cx, loop->body, axis, extent);
  if (const program::Seq* seq = as_seq(s)) {
    std::int64_t most = 0;
    for (Stmt child : seq->children) most = std::max(most, allowed_in(cx, child, axis, extent));
    return most;
  }
  std::vector<Expr> conjuncts;
  program::add_conjuncts(cx, as_block(s)->predicate, conjuncts);
  std::int64_t least = extent;
  if (is_false(as_block(s)->predicate)) return 0;
  for (Expr p : conjuncts) least = std::min(least, allowed_by(cx, p, axis, extent));
  return least;
}

// Every loop as short as it can be; what never runs is gone.
Stmt shortened(Context& cx, Stmt s) {
  if (const Loop* loop = as_loop(s)) {
    const std::int64_t extent = allowed_in(cx, loop->body, loop->axis, loop->extent());
    if (extent == 0) return cx.seq({});
    Stmt body = loop->body;
    Expr axis = loop->axis;
    if (extent < loop->extent()) {
      axis = cx.axis(loop->name(), extent);
      const Replacements shorter = {{loop->axis, axis}};
      body = rebound(cx, body, shorter);
    }
    Stmt inner = shortened(cx, body);
    if (is_nothing(inner)) return inner;
    if (inner == loop->body && axis == loop->axis) return s;
    return cx.loop(axis, loop->how, inner, loop->annotations);
  }
  if (const program::Seq* seq = as_seq(s)) {
    std::vector<Stmt> children;
    for (Stmt child : seq->children) {
      Stmt shorter = shortened(cx, child);
      if (!is_nothing(shorter)) children.push_back(shorter);
    }
    if (std::equal(children.begin(), children.end(), seq->children.begin(), seq->children.end())) {
      return s;
    }
    return cx.seq(children);
  }
  const Block* block = as_block(s);
  Expr predicate = tidy(cx, block->predicate);
  if (is_false(predicate)) return cx.seq({});
  return predicate == block->predicate ? s : with_predicate(cx, *block, predicate);
}

// The iterators that conditions in the value of a body ask about.
std::vector<Expr> asked_about(const Body& body) {
  std::vector<Expr> axes;
  program::for_each_scalar(body.value, [&](Scalar s) {
    if (s->kind != program::ScalarKind::Index || !expr::is_predicate(s->indices[0])) return;
    const std::vector<Expr> more = program::axes_of(s->indices[0]);
    axes.insert(axes.end(), more.begin(), more.end());
  });
  return axes;
}

// Iterators that take fewer values than their extents say begin at 0 again and are as long as that:
// a part of a reduction is then a whole one, and conditions on them may be decided.
Stmt refitted(Context& cx, const Block& block) {
  const Body& body = *block.body;
  const std::vector<Expr> asked = asked_about(body);
  std::vector<Iterator> iterators(body.iterators.begin(), body.iterators.end());
  std::vector<Expr> bindings(block.bindings.begin(), block.bindings.end());
  Mapping mapping;
  for (std::size_t i = 0; i < iterators.size(); ++i) {
    const Iterator& it = iterators[i];
    const bool wanted = it.kind == program::IteratorKind::Reduce ||
                        std::find(asked.begin(), asked.end(), it.axis) != asked.end();
    const std::int64_t lo = std::max<std::int64_t>(bindings[i]->range.lo, 0);
    const std::int64_t hi = std::min(bindings[i]->range.hi, it.extent() - 1);
    if (!wanted || lo > hi || (lo == 0 && hi == it.extent() - 1)) continue;
    Expr axis = cx.axis(expr::name_of(it.axis), hi - lo + 1);
    mapping.axes.push_back({it.axis, expr::add(cx.indices(), axis, cx.number(lo))});
    bindings[i] = expr::simplify(cx.indices(), expr::sub(cx.indices(), bindings[i], cx.number(lo)));
    iterators[i].axis = axis;
  }
  if (mapping.axes.empty()) return &block;
  return cx.block(block.name, mapped(cx, body, iterators, mapping), bindings, block.predicate,
                  block.annotations);
}

Stmt all_refitted(Context& cx, Stmt s) {
  if (const Loop* loop = as_loop(s)) {
    return cx.loop(loop->axis, loop->how, all_refitted(cx, loop->body), loop->annotations);
  }
  if (const program::Seq* seq = as_seq(s)) {
    std::vector<Stmt> children;
    for (Stmt child : seq->children) children.push_back(all_refitted(cx, child));
    return cx.seq(children);
  }
  return refitted(cx, *as_block(s));
}

}  // namespace

Stmt trimmed(Context& cx, Stmt s) {
  // A loop that became shorter may decide the predicates that bound another one.
  for (Stmt before = nullptr; before != s;) {
    before = s;
    s = shortened(cx, s);
  }
  return all_refitted(cx, s);
}

bool is_nothing(Stmt s) {
  return s->kind == program::StmtKind::Seq && as_seq(s)->children.empty();
}

}  // namespace cambium::schedule

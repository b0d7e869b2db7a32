#include "schedule/steps/decompose_padding.h"

#include <algorithm>
#include <optional>

#include "expr/simplify.h"
#include "program/analysis.h"
#include "program/rewrite.h"
#include "program/tape.h"
#include "program/verify.h"
#include "schedule/steps/place.h"

namespace cambium::schedule {
namespace {

using namespace program;

Rejection not_padding(const Block& block, std::string why) {
  return Rejection(Reason::NotPadding, std::string(block.name), std::move(why));
}

// Where a condition on one axis holds, if that is one stretch.
std::optional<expr::Interval> stretch_of(Expr condition, Expr axis) {
  Tape tape(std::span(&axis, 1));
  const std::size_t place = tape.add(condition);
  std::optional<expr::Interval> found;
  const std::int64_t extent = expr::value_of(expr::extent_of(axis)).factor;
  for (std::int64_t n = 0; n < extent; ++n) {
    tape.evaluate(std::span(&n, 1));
    if (tape[place] == 0) continue;
    if (!found) {
      found = {n, n};
    } else if (found->hi == n - 1) {
      found->hi = n;
    } else {
      return std::nullopt;
    }
  }
  return found;
}

// Per iterator the values for which the condition of the select holds.
using Inside = std::vector<expr::Interval>;
Result<Inside> inside_of(Context& cx, const Block& block) {
  const Body& body = *block.body;
  Scalar value = body.value;
  if (body.combine != Combine::Assign || value->kind != ScalarKind::Select ||
      value->operands[0]->kind != ScalarKind::Index ||
      value->operands[2]->kind != ScalarKind::Const) {
    return not_padding(block, "its value is not select([...], value, number)");
  }
  Inside inside;
  for (const Iterator& it : body.iterators) inside.push_back({0, it.extent() - 1});
  std::vector<Expr> conjuncts;
  add_conjuncts(cx, value->operands[0]->indices[0], conjuncts);
  for (Expr p : conjuncts) {
    const std::vector<Expr> axes = axes_of(p);
    std::size_t k = 0;
    while (k < inside.size() && (axes.size() != 1 || body.iterators[k].axis != axes[0])) ++k;
    const auto stretch = k < inside.size() ? stretch_of(p, axes[0]) : std::nullopt;
    if (!stretch) return not_padding(block, "its condition does not describe a box");
    inside[k] = {std::max(inside[k].lo, stretch->lo), std::min(inside[k].hi, stretch->hi)};
    if (inside[k].lo > inside[k].hi) return not_padding(block, "no point lies inside");
  }
  return inside;
}

std::size_t blocks_in(Stmt s) {
  std::size_t count = 0;
  std::vector<const Loop*> around;
  for_each_stmt(s, around, [&](Stmt part, const auto&) { count += part->kind == StmtKind::Block; });
  return count;
}

// The loops that hold the block and nothing else, outermost first.
std::vector<const Loop*> own_loops(const Site& site) {
  std::vector<const Loop*> own;
  for (const Loop* loop : site.loops) {
    if (blocks_in(loop) == 1) own.push_back(loop);
  }
  return own;
}

// The copy of the inside in loops of its own. An iterator that is a loop of its own runs over the
// inside only; others keep their loops, and a predicate leaves out what lies outside.
Stmt copy_nest(Context& cx, const Program& program, const Site& site, const Inside& inside,
               Names& made) {
  const Block& block = *site.block;
  const Body& body = *block.body;
  Fresh fresh(cx, program);
  std::vector<Iterator> iterators;
  std::vector<expr::Replacement> shifted;  // iterators begin where the inside does
  for (std::size_t k = 0; k < inside.size(); ++k) {
    const Iterator& it = body.iterators[k];
    Expr axis = cx.axis(expr::name_of(it.axis), inside[k].hi - inside[k].lo + 1);
    iterators.push_back({axis, it.kind});
    shifted.push_back({it.axis, expr::add(cx.indices(), axis, cx.number(inside[k].lo))});
  }
  std::vector<expr::Replacement> loops;
  std::vector<Expr> axes;
  for (const Loop* loop : own_loops(site)) {
    std::int64_t extent = loop->extent();
    std::int64_t first = 0;
    const auto fed = std::count_if(block.bindings.begin(), block.bindings.end(),
                                   [&](Expr b) { return uses(b, loop->axis); });
    for (std::size_t k = 0; k < inside.size(); ++k) {
      const bool alone = fed == 1 && !uses(block.predicate, loop->axis);
      if (!alone || block.bindings[k] != loop->axis || extent != body.iterators[k].extent())
        continue;
      first = inside[k].lo;
      extent = inside[k].hi - inside[k].lo + 1;
      break;
    }
    axes.push_back(fresh.axis(loop->name(), extent));
    made.emplace_back(expr::name_of(axes.back()));
    loops.push_back({loop->axis, expr::add(cx.indices(), axes.back(), cx.number(first))});
  }
  std::vector<Expr> bindings;
  Expr predicate = expr::substitute(cx.indices(), block.predicate, loops);
  for (std::size_t k = 0; k < inside.size(); ++k) {
    Expr old = replaced(cx, block.bindings[k], loops);
    const std::int64_t lo = inside[k].lo;
    const std::int64_t hi = inside[k].hi;
    bindings.push_back(expr::simplify(cx.indices(), expr::sub(cx.indices(), old, cx.number(lo))));
    if (old->range.lo < lo) {
      predicate = expr::logical_and(cx.indices(), predicate,
                                    expr::less_equal(cx.indices(), cx.number(lo), old));
    }
    if (old->range.hi > hi) {
      predicate = expr::logical_and(cx.indices(), predicate,
                                    expr::less(cx.indices(), old, cx.number(hi + 1)));
    }
  }
  Body fields = body;
  fields.value = body.value->operands[1];
  const Body* moved = rewrite(cx, *cx.body(fields), substituting(cx, shifted), keep_access());
  fields = *moved;
  fields.iterators = iterators;
  return nest(
      cx, axes,
      cx.block(block.name, cx.body(fields), bindings, tidy(cx, predicate), block.annotations));
}

}  // namespace

bool is_box_of_padding(Context& cx, const Block& block) {
  return inside_of(cx, block).ok();
}

Result<Applied> DecomposePadding::apply(Context& cx, const Program& program) const {
  const std::vector<Site> sites = sites_of(program);
  CAMBIUM_TRY(const Block* found, block_named(program, block));
  CAMBIUM_TRY(const Inside inside, inside_of(cx, *found));
  const Site& site = site_of(sites, found);
  const std::string name(Fresh(cx, program).block(block + ".fill"));
  Applied applied{program, {name, block}};
  Stmt copy = copy_nest(cx, program, site, inside, applied.made);
  Body fields = *found->body;
  fields.value = fields.value->operands[2];
  Stmt fill = cx.block(name, cx.body(fields), found->bindings, found->predicate);
  const std::vector<const Loop*> own = own_loops(site);
  Stmt there = own.empty() ? static_cast<Stmt>(found) : own.front();
  applied.program = insert_after(cx, program, there, copy);
  applied.program = replace(cx, applied.program, found, fill);
  CAMBIUM_REQUIRE(check(cx, applied.program, Stage::Scheduled));
  return applied;
}

}  // namespace cambium::schedule

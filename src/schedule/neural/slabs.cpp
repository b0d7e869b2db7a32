#include <algorithm>

#include "expr/simplify.h"
#include "program/analysis.h"
#include "schedule/neural/nest_contraction.h"
#include "schedule/neural/neural.h"

namespace cambium::schedule {
namespace {

using neural::Contraction;
using neural::Digit;
using neural::Digits;
using neural::digits_of;
using neural::Draft;
using neural::Indices;
using neural::LoopRole;
using neural::Nest;
using neural::NestAxis;
using neural::rewrite_loads;

// How far dimension `dim` of what a block reads is shifted by padding, and how long it is without.
struct Padding {
  std::int64_t before = 0;
  std::int64_t inside = 0;
};

// A local that one block fills by copying another buffer between zeros; anything else has none.
Padding padding_of(Draft& draft, const Buffer* x, std::size_t dim) {
  const Padding none{0, draft.dims_of(x)[dim]};
  const std::vector<std::size_t> writers = program::writers_of(draft.sites(), x);
  if (writers.size() != 1) return none;
  const program::Body& body = *draft.sites()[writers[0]].block->body;
  if (body.combine != program::Combine::Assign || body.value->kind != program::ScalarKind::Select) {
    return none;
  }
  const Scalar copied = body.value->operands[1];
  if (copied->kind != program::ScalarKind::Load || body.value->operands[2]->bits != 0 ||
      body.value->operands[2]->kind != program::ScalarKind::Const) {
    return none;
  }
  expr::Context& ex = draft.cx().indices();
  for (std::size_t d = 0; d < copied->indices.size(); ++d) {
    if (!program::uses(copied->indices[d], body.indices[dim])) continue;
    const Expr shift = expr::simplify(ex, expr::sub(ex, body.indices[dim], copied->indices[d]));
    if (!shift->range.is_single()) return none;
    return {shift->range.lo, copied->buffer->dims[d]};
  }
  return none;
}

Rejection one_slab(const char* step) {
  return Rejection(Reason::BadFactors, step, "the loop has only one slab");
}

// The dimension of x that moves with the slabs; nothing unless it is just one.
std::optional<std::size_t> rows_of(const Contraction& c, Expr iterator) {
  std::optional<std::size_t> found;
  const Indices at = c.x_at();
  for (std::size_t d = 0; d < at.size(); ++d) {
    if (!program::uses(at[d], iterator)) continue;
    if (found) return {};
    found = d;
  }
  return found;
}

// Lets x be 0 outside the rows of its slab.
Status cut_into_slabs(Draft& draft, Contraction& c, const NestAxis& slabs) {
  Context& cx = draft.cx();
  const std::optional<std::size_t> dim = rows_of(c, slabs.iterator);
  if (!dim) return not_a_contraction(c, "the loop does not move exactly one dimension of x");
  const Expr row = c.x_at()[*dim];
  const std::optional<Digits> digits = digits_of(cx, row);
  if (!digits) return not_a_contraction(c, "the rows of x are not read in order");
  const Digit* const slab = digits->find(slabs.iterator);
  if (slab == nullptr) return not_a_contraction(c, "the rows of x do not move with the loop");
  const std::int64_t height = slab->coefficient;
  const Padding padding = padding_of(draft, c.x, *dim);
  // The rows within a slab, counted from its first one.
  expr::Context& ex = cx.indices();
  Expr within = expr::sub(ex, row, cx.number(padding.before));
  std::int64_t whole = padding.inside;
  for (const Digit& digit : digits->all) {
    const auto axis = std::find_if(c.nest->axes.begin(), c.nest->axes.end(),
                                   [&](const NestAxis& a) { return a.iterator == digit.axis; });
    if (digit.coefficient < height || !axis->is_spatial()) continue;
    within =
        expr::sub(ex, within, expr::mul(ex, digit.axis, expr::Monomial::of(digit.coefficient)));
    if (digit.coefficient > height) whole = std::min(whole, digit.coefficient);
  }
  if (slabs.extent * height != whole) {
    return not_a_contraction(c, std::to_string(slabs.extent) + " slabs of " +
                                    std::to_string(height) + " rows are not the " +
                                    std::to_string(whole) + " rows of x");
  }
  const Expr inside =
      expr::simplify(ex, expr::logical_and(ex, expr::less_equal(ex, cx.number(0), within),
                                           expr::less(ex, within, cx.number(height))));
  if (inside->kind == expr::Kind::Bool && expr::truth_of(inside)) return Ok{};
  const auto load = [&](Scalar s) {
    if (s->buffer != c.x) return s;
    const Scalar zero = is_floating(s->type) ? cx.constant(0, s->type) : cx.whole(0, s->type);
    return cx.select(cx.index(inside), s, zero);
  };
  c.nest->value = rewrite_loads(cx, c.nest->value, load, [](Expr e) { return e; });
  return Ok{};
}

// A block that stores the initial value everywhere, which the contraction then leaves to it.
Names put_init(Draft& draft, Contraction& c) {
  Nest init;
  init.name = draft.fresh().block(std::string(c.nest->name) + ".init");
  init.target = c.nest->target;
  init.indices = c.nest->indices;
  init.value = c.nest->init;
  Names made{std::string(init.name)};
  for (const NestAxis& axis : c.nest->axes) {
    if (!axis.is_spatial() || axis.iterator == nullptr) continue;
    NestAxis copy = axis;
    if (!axis.is_shared) {
      copy.loop = draft.fresh().loop(axis.loop);
      copy.how = program::LoopKind::Serial;
      copy.annotations = {};
      made.emplace_back(copy.loop);
    }
    init.axes.push_back(copy);
  }
  draft.put(c.block, false, std::move(init));
  c.nest->init = nullptr;
  return made;
}

}  // namespace

Result<NeuralApplied> GroupSlabs::apply(Context& cx, const Program& program) const {
  Draft draft(cx, program);
  CAMBIUM_TRY(Contraction c, contraction_at(draft, rows));
  CAMBIUM_REQUIRE(are_outermost(c, {rows}));
  const NestAxis slabs = *c.nest->find(rows);
  if (c.role_of(slabs) != LoopRole::Pixel) {
    return not_a_contraction(c, "loop '" + rows + "' does not count rows");
  }
  if (slabs.extent < 2) return one_slab(kName);
  CAMBIUM_REQUIRE(own_weights(draft, c));
  CAMBIUM_REQUIRE(cut_into_slabs(draft, c, slabs));
  Indices at = c.weights_at();
  const std::int64_t size = draft.dims_of(c.weights)[0];
  expr::Context& ex = cx.indices();
  at[0] = expr::simplify(
      ex, expr::add(ex, expr::mul(ex, slabs.iterator, expr::Monomial::of(size)), at[0]));
  c.nest->move_read(cx, c.weights, c.weights, at);
  draft.resize(c.weights, 0, size * slabs.extent);
  return draft.finish({});
}

Result<NeuralApplied> GroupChannels::apply(Context& cx, const Program& program) const {
  Draft draft(cx, program);
  CAMBIUM_TRY(Contraction c, contraction_at(draft, rows));
  if (program::find_loop(program, outer) == nullptr) return Rejection(Reason::UnknownName, outer);
  CAMBIUM_REQUIRE(are_outermost(c, {rows, outer}));
  const NestAxis slabs = *c.nest->find(rows);
  NestAxis& out = *c.nest->find(outer);
  if (c.role_of(slabs) != LoopRole::Pixel) {
    return not_a_contraction(c, "loop '" + rows + "' does not count rows");
  }
  if (c.role_of(out) != LoopRole::Out) {
    return not_a_contraction(c, "loop '" + outer + "' does not count output channels");
  }
  if (slabs.extent < 2) return one_slab(kName);
  if (out.extent % slabs.extent != 0) {
    return Rejection(Reason::NotDivisible, outer, "", out.extent, slabs.extent);
  }
  Names made;
  if (c.nest->init != nullptr) made = put_init(draft, c);
  expr::Context& ex = cx.indices();
  const Expr before = out.iterator;
  out.extent /= slabs.extent;
  out.iterator = cx.axis(expr::name_of(before), out.extent);
  const Expr start = expr::mul(ex, slabs.iterator, expr::Monomial::of(out.extent));
  c.nest->substitute(cx, before, expr::add(ex, start, out.iterator));
  return draft.finish(std::move(made));
}

}  // namespace cambium::schedule

#include "expr/simplify.h"
#include "program/analysis.h"
#include "schedule/neural/narrow.h"
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

// Element e of a dimension of that size, where the digit of place value `place` and that extent has
// become `factor` times coarser. The first digit is not cut off: e may stand behind a condition.
Expr coarse(Context& cx, Expr e, std::int64_t size, const Digit& digit, std::int64_t factor) {
  expr::Context& ex = cx.indices();
  const std::int64_t place = digit.coefficient, next = place * digit.extent;
  const auto scaled = [&](Expr a, std::int64_t n) {
    return expr::mul(ex, a, expr::Monomial::of(n));
  };
  Expr own = expr::div(ex, e, expr::Size(place));
  Expr above = cx.number(0);
  if (next != size) {
    own = expr::mod(ex, own, expr::Size(digit.extent));
    above = scaled(expr::div(ex, e, expr::Size(next)), next / factor);
  }
  own = scaled(expr::div(ex, own, expr::Size(factor)), place);
  const Expr below = expr::mod(ex, e, expr::Size(place));
  return expr::simplify(ex, expr::add(ex, above, expr::add(ex, own, below)));
}

// A block that copies `from` to the output, each element as often as the shape needs.
Nest repeating(Draft& draft, const Contraction& c, const Buffer* output, const Buffer* from,
               std::size_t dim, const std::function<Expr(Expr)>& to_coarse, Names& made) {
  Context& cx = draft.cx();
  Nest repeat;
  repeat.name = draft.fresh().block(std::string(c.nest->name) + ".repeat");
  repeat.target = output;
  made = {std::string(repeat.name), std::string(from->name)};
  Indices at;
  for (std::size_t d = 0; d < output->dims.size(); ++d) {
    NestAxis axis;
    axis.extent = output->dims[d];
    axis.loop = draft.fresh().loop(std::string(output->name) + ".d" + std::to_string(d));
    axis.iterator = cx.axis(axis.loop, axis.extent);
    repeat.axes.push_back(axis);
    made.emplace_back(axis.loop);
    repeat.indices.push_back(axis.iterator);
    at.push_back(d == dim ? to_coarse(axis.iterator) : axis.iterator);
  }
  repeat.value = cx.load(from, at);
  return repeat;
}

// On a pixel: every factor-th is computed, and stands for those that are not.
Result<Names> coarsen(Draft& draft, Contraction& c, NestAxis& axis, std::int64_t factor) {
  Context& cx = draft.cx();
  CAMBIUM_TRY(const std::size_t dim, owned_dimension(draft, c, axis.iterator));
  const Buffer* target = c.nest->target;
  const Digits digits = *digits_of(cx, c.nest->indices[dim]);
  const Digit digit = *digits.find(axis.iterator);
  const std::int64_t size = draft.dims_of(target)[dim];
  const auto to_coarse = [&cx, size, digit, factor](Expr e) {
    return coarse(cx, e, size, digit, factor);
  };
  for (const program::Site& site : draft.sites()) {
    for (const program::Access& access : program::accesses_of(cx, *site.block->body)) {
      if (access.buffer == target && access.indices.size() != target->dims.size()) {
        return Rejection(Reason::NotConsumer, std::string(site.block->name),
                         "it gathers from '" + std::string(target->name) + "'");
      }
    }
  }
  const Expr before = axis.iterator;
  axis.extent = axis.extent / factor;
  axis.iterator = cx.axis(expr::name_of(before), axis.extent);
  const Expr written = digits.resized(cx, before, axis.iterator, axis.extent);
  c.nest->substitute(cx, before,
                     expr::mul(cx.indices(), axis.iterator, expr::Monomial::of(factor)));
  c.nest->indices[dim] = written;

  std::vector<std::int64_t> dims = draft.dims_of(target);
  dims[dim] = dims[dim] / factor;
  Names made;
  if (target->role == program::Role::Local) {
    draft.resize(target, dim, dims[dim]);
    draft.redirect(target, [dim, to_coarse](const Indices& at) {
      Indices moved = at;
      moved[dim] = to_coarse(at[dim]);
      return moved;
    });
  } else {
    c.nest->target = draft.add_local(target, ".coarse", dims);
    draft.put(c.block, true, repeating(draft, c, target, c.nest->target, dim, to_coarse, made));
  }
  return made;
}

}  // namespace

Result<NeuralApplied> Bottleneck::apply(Context& cx, const Program& program) const {
  if (factor < 2) return Rejection(Reason::BadFactors, kName, "the factor must be 2 or more");
  Draft draft(cx, program);
  CAMBIUM_TRY(Contraction c, contraction_at(draft, loop));
  CAMBIUM_REQUIRE(are_outermost(c, {loop}));
  NestAxis& axis = *c.nest->find(loop);
  if (axis.extent % factor != 0) {
    return Rejection(Reason::NotDivisible, loop, "", axis.extent, factor);
  }
  const LoopRole role = c.role_of(axis);
  if (role == LoopRole::Other) {
    return not_a_contraction(c, "loop '" + loop + "' does not move x and the weights");
  }
  if (role == LoopRole::Pixel) {
    CAMBIUM_TRY(Names made, coarsen(draft, c, axis, factor));
    return draft.finish(std::move(made));
  }
  CAMBIUM_REQUIRE(own_weights(draft, c));
  const std::int64_t extent = axis.extent / factor;
  if (role == LoopRole::Out) {
    CAMBIUM_TRY(const std::size_t dim, owned_dimension(draft, c, axis.iterator));
    const std::int64_t size = draft.dims_of(c.nest->target)[dim] / factor;
    const Expr before = axis.iterator;
    const Digits written = *digits_of(cx, c.nest->indices[dim]);
    CAMBIUM_REQUIRE(resize_in_weights(draft, c, axis, extent));
    c.nest->indices[dim] = written.resized(cx, before, axis.iterator, extent);
    CAMBIUM_REQUIRE(narrow(draft, c.nest->target, dim, size, accept));
  } else {
    CAMBIUM_REQUIRE(resize_in_weights(draft, c, axis, extent));
  }
  return draft.finish({});
}

}  // namespace cambium::schedule

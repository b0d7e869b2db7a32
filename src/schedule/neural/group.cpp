#include <algorithm>

#include "program/analysis.h"
#include "schedule/neural/nest_contraction.h"
#include "schedule/neural/neural.h"

namespace cambium::schedule {
namespace {

using neural::Contraction;
using neural::Draft;
using neural::Indices;
using neural::LoopRole;
using neural::Nest;
using neural::NestAxis;

// The channels of one contraction, about to be sliced together.
struct Channels {
  Draft draft;
  Contraction contraction;

  Channels(Context& cx, const Program& program) : draft(cx, program) {}
  NestAxis& axis(std::string_view loop) { return *contraction.nest->find(loop); }
};

Status find_channels(Channels& ch, const std::string& outer, const std::string& inner) {
  CAMBIUM_TRY(ch.contraction, contraction_at(ch.draft, outer));
  const Contraction& c = ch.contraction;
  if (program::find_loop(ch.draft.program(), inner) == nullptr) {
    return Rejection(Reason::UnknownName, inner);
  }
  CAMBIUM_REQUIRE(are_outermost(c, {outer, inner}));
  if (c.role_of(ch.axis(outer)) != LoopRole::Out || c.in_x(ch.axis(outer).iterator)) {
    return not_a_contraction(c, "loop '" + outer + "' does not count output channels");
  }
  if (c.role_of(ch.axis(inner)) != LoopRole::In) {
    return not_a_contraction(c, "loop '" + inner + "' does not count input channels");
  }
  return Ok{};
}

// Gives the nest the loop over the groups, outside the others; the name of it.
Result<std::string> slice(Channels& ch, const std::string& outer, const std::string& inner,
                          std::int64_t factor, std::int64_t skip) {
  Context& cx = ch.draft.cx();
  Contraction& c = ch.contraction;
  CAMBIUM_REQUIRE(own_weights(ch.draft, c));
  NestAxis group;
  group.loop = ch.draft.fresh().loop(outer + ".group");
  group.extent = factor;
  std::string name(group.loop);
  const auto taken = [&](const NestAxis& axis) {
    return axis.iterator != nullptr && expr::name_of(axis.iterator) == name;
  };
  while (std::any_of(c.nest->axes.begin(), c.nest->axes.end(), taken)) name += ".i";
  group.iterator = cx.axis(cx.name(name), factor);

  expr::Context& ex = cx.indices();
  const auto at_group = [&](Expr channel, std::int64_t per_group, std::int64_t first) {
    const Expr start = expr::mul(ex, group.iterator, expr::Monomial::of(per_group));
    return expr::add(ex, expr::add(ex, start, channel), cx.number(first));
  };
  // The input channel first: the weights count it within the group, x over all of them.
  NestAxis& in = ch.axis(inner);
  CAMBIUM_REQUIRE(resize_in_weights(ch.draft, c, in, (in.extent - skip) / factor));
  const Indices weights_at = c.weights_at();
  c.nest->substitute(cx, in.iterator, at_group(in.iterator, in.extent, skip));
  c.nest->move_read(cx, c.weights, c.weights, weights_at);

  NestAxis& out = ch.axis(outer);
  const Expr before = out.iterator;
  out.extent /= factor;
  out.iterator = cx.axis(expr::name_of(before), out.extent);
  c.nest->substitute(cx, before, at_group(out.iterator, out.extent, 0));
  const auto place = std::find_if(c.nest->axes.begin(), c.nest->axes.end(),
                                  [&](const NestAxis& axis) { return axis.loop == outer; });
  const std::string made(group.loop);
  c.nest->axes.insert(place, group);
  return made;
}

// Takes a loop of one iteration away, unless nothing else would be reduced.
void drop(Channels& ch, const std::string& loop) {
  Nest& nest = *ch.contraction.nest;
  const auto axis = std::find_if(nest.axes.begin(), nest.axes.end(),
                                 [&](const NestAxis& a) { return a.loop == loop; });
  const auto reduced = std::count_if(nest.axes.begin(), nest.axes.end(),
                                     [](const NestAxis& a) { return !a.is_spatial(); });
  if (!axis->is_spatial() && reduced == 1) return;
  nest.substitute(ch.draft.cx(), axis->iterator, ch.draft.cx().number(0));
  nest.axes.erase(axis);
}

}  // namespace

Result<NeuralApplied> Group::apply(Context& cx, const Program& program) const {
  Channels ch(cx, program);
  CAMBIUM_REQUIRE(find_channels(ch, outer, inner));
  const std::int64_t outs = ch.axis(outer).extent, ins = ch.axis(inner).extent;
  if (skip < 0 || skip >= ins) {
    return Rejection(Reason::BadFactors, kName, "skip must leave an input channel");
  }
  if (factor < 1 || (factor == 1 && skip == 0)) {
    return Rejection(Reason::BadFactors, kName, "the factor must be 2 or more, or 1 with a skip");
  }
  if (outs % factor != 0) return Rejection(Reason::NotDivisible, outer, "", outs, factor);
  if ((ins - skip) % factor != 0) {
    return Rejection(Reason::NotDivisible, inner, "", ins - skip, factor);
  }
  CAMBIUM_TRY(std::string made, slice(ch, outer, inner, factor, skip));
  return ch.draft.finish({std::move(made)});
}

Result<NeuralApplied> Depthwise::apply(Context& cx, const Program& program) const {
  Channels ch(cx, program);
  CAMBIUM_REQUIRE(find_channels(ch, outer, inner));
  const std::int64_t outs = ch.axis(outer).extent, ins = ch.axis(inner).extent;
  if (outs != ins) return Rejection(Reason::NotDivisible, outer, "", outs, ins);
  if (outs < 2) return Rejection(Reason::BadFactors, kName, "the convolution has only one channel");
  CAMBIUM_TRY(std::string made, slice(ch, outer, inner, outs, 0));
  drop(ch, outer);
  drop(ch, inner);
  return ch.draft.finish({std::move(made)});
}

}  // namespace cambium::schedule

#include "schedule/neural/nest.h"

#include <algorithm>
#include <set>

#include "expr/linear.h"
#include "expr/simplify.h"
#include "program/analysis.h"
#include "program/coverage.h"

namespace cambium::schedule::neural {
namespace {

using program::IteratorKind;
using program::ScalarKind;

Rejection refused(const Block& block, std::string why) {
  return Rejection(Reason::NotAContraction, std::string(block.name), std::move(why));
}

// The loops around a block as axes without iterators yet.
std::vector<NestAxis> axes_around(std::span<const Site> sites, const Site& site) {
  std::vector<NestAxis> axes;
  for (const Loop* loop : site.loops) {
    NestAxis axis;
    axis.loop = loop->name();
    axis.how = loop->how;
    axis.annotations = loop->annotations;
    axis.extent = loop->extent();
    axis.is_shared = std::any_of(sites.begin(), sites.end(), [&](const Site& other) {
      return other.block != site.block && other.is_under(loop);
    });
    axes.push_back(axis);
  }
  return axes;
}

// An iterator that is bound to the loop alone keeps its name; others are named as the loop.
void name_iterators(Context& cx, const Site& site, std::vector<NestAxis>& axes) {
  std::set<std::string_view> taken;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (std::size_t k = 0; k < site.block->bindings.size(); ++k) {
      const Iterator& it = site.block->body->iterators[k];
      if (site.block->bindings[k] != site.loops[i]->axis || it.extent() != axes[i].extent) continue;
      axes[i].iterator = it.axis;
      taken.insert(expr::name_of(it.axis));
      break;
    }
  }
  for (NestAxis& axis : axes) {
    if (axis.iterator != nullptr) continue;
    std::string name(axis.loop);
    while (taken.count(name) > 0) name += ".i";
    const std::string_view kept = cx.name(name);
    taken.insert(kept);
    axis.iterator = cx.axis(kept, axis.extent);
  }
}

}  // namespace

Result<Nest> nest_of(Context& cx, std::span<const Site> sites, const Site& site) {
  const Block& block = *site.block;
  if (block.predicate->kind != expr::Kind::Bool || !expr::truth_of(block.predicate)) {
    return refused(block, "it has a predicate");
  }
  const program::Coverage coverage = program::coverage_of(cx, site);
  if (coverage.once != program::Proof::Yes || coverage.reduced != program::Proof::Yes) {
    return refused(block, "its loops do not visit each of its points once");
  }
  Nest nest;
  nest.name = block.name;
  nest.annotations = block.annotations;
  nest.axes = axes_around(sites, site);
  name_iterators(cx, site, nest.axes);
  std::vector<expr::Replacement> loops, points;
  for (std::size_t i = 0; i < nest.axes.size(); ++i) {
    const program::Feeds feeds = program::feeds_of(*site.loops[i], block);
    if (feeds.spatial && feeds.reduce) {
      return refused(block, "loop '" + std::string(nest.axes[i].loop) +
                                "' feeds both a kept and a reduced dimension");
    }
    loops.push_back({site.loops[i]->axis, nest.axes[i].iterator});
    nest.axes[i].kind = feeds.reduce ? IteratorKind::Reduce : IteratorKind::Spatial;
    if (!feeds.spatial && !feeds.reduce) nest.axes[i].iterator = nullptr;
  }
  for (std::size_t k = 0; k < block.bindings.size(); ++k) {
    const Iterator& it = block.body->iterators[k];
    points.push_back({it.axis, replaced(cx, block.bindings[k], loops)});
    if (it.kind == IteratorKind::Reduce && block.body->init != nullptr) {
      std::vector<expr::Replacement> start;
      for (const Loop* loop : site.loops) start.push_back({loop->axis, cx.number(0)});
      if (!expr::is_const(replaced(cx, block.bindings[k], start), 0)) {
        return refused(block, "its reduction does not start at 0");
      }
    }
  }
  const auto over_axes = [&](Expr e) { return replaced(cx, e, points); };
  const auto load = [&](Scalar s) { return s; };
  nest.target = block.body->target;
  for (Expr e : block.body->indices) nest.indices.push_back(over_axes(e));
  nest.combine = block.body->combine;
  nest.value = rewrite_loads(cx, block.body->value, load, over_axes);
  nest.init = rewrite_loads(cx, block.body->init, load, over_axes);
  nest.top = site.block;
  for (std::size_t i = site.loops.size(); i-- > 0 && !nest.axes[i].is_shared;) {
    nest.top = site.loops[i];
  }
  return nest;
}

NestAxis* Nest::find(std::string_view loop) {
  for (NestAxis& axis : axes) {
    if (axis.loop == loop) return &axis;
  }
  return nullptr;
}

void Nest::substitute(Context& cx, Expr iterator, Expr by) {
  const expr::Replacement one[] = {{iterator, by}};
  substitute(cx, one);
}

void Nest::substitute(Context& cx, std::span<const expr::Replacement> all) {
  const auto index = [&](Expr e) { return replaced(cx, e, all); };
  const auto load = [](Scalar s) { return s; };
  for (Expr& e : indices) e = index(e);
  value = rewrite_loads(cx, value, load, index);
  init = rewrite_loads(cx, init, load, index);
}

void Nest::resize(Context& cx, NestAxis& axis, std::int64_t extent) {
  const Expr before = axis.iterator;
  axis.extent = extent;
  axis.iterator = cx.axis(expr::name_of(before), extent);
  substitute(cx, before, axis.iterator);
}

std::optional<Indices> Nest::read_of(const Buffer* buffer) const {
  std::optional<Indices> found;
  int count = 0;
  const auto visit = [&](Scalar s) {
    if (s->buffer != buffer) return;
    ++count;
    if (s->kind == ScalarKind::Load) found = Indices(s->indices.begin(), s->indices.end());
  };
  program::for_each_scalar(value, visit);
  if (init != nullptr) program::for_each_scalar(init, visit);
  return count == 1 ? found : std::nullopt;
}

void Nest::move_read(Context& cx, const Buffer* from, const Buffer* to, const Indices& at) {
  const auto load = [&](Scalar s) { return s->buffer == from ? cx.load(to, at) : s; };
  const auto same = [](Expr e) { return e; };
  value = rewrite_loads(cx, value, load, same);
  init = rewrite_loads(cx, init, load, same);
}

const Digit* Digits::find(Expr axis) const {
  for (const Digit& digit : all) {
    if (digit.axis == axis) return &digit;
  }
  return nullptr;
}

std::int64_t Digits::dense_size() const {
  std::int64_t size = 1;
  for (const Digit& digit : all) {
    if (digit.coefficient != size) return 0;
    size *= digit.extent;
  }
  return size;
}

Expr Digits::resized(Context& cx, Expr axis, Expr by, std::int64_t extent) const {
  const Digit* changed = find(axis);
  Expr sum = cx.number(offset);
  for (const Digit& digit : all) {
    std::int64_t c = digit.coefficient;
    if (changed != nullptr && c > changed->coefficient) c = c / changed->extent * extent;
    const Expr what = digit.axis == axis ? by : digit.axis;
    sum = expr::add(cx.indices(), sum, expr::mul(cx.indices(), what, expr::Monomial::of(c)));
  }
  return expr::simplify(cx.indices(), sum);
}

std::optional<Digits> digits_of(Context& cx, Expr e) {
  expr::Linear linear;
  if (!linear.add_scaled(expr::simplify(cx.indices(), e), expr::Monomial::of(1))) return {};
  Digits digits;
  for (const expr::Term& term : linear.terms()) {
    if (term.atom == nullptr) {
      digits.offset = term.coefficient.factor;
      continue;
    }
    if (term.atom->kind != expr::Kind::Axis || term.coefficient.factor < 1) return {};
    const std::int64_t extent = expr::value_of(expr::extent_of(term.atom)).factor;
    if (extent > 1) digits.all.push_back({term.atom, term.coefficient.factor, extent});
  }
  std::sort(digits.all.begin(), digits.all.end(),
            [](const Digit& a, const Digit& b) { return a.coefficient < b.coefficient; });
  return digits;
}

Scalar rewrite_loads(Context& cx, Scalar s, const std::function<Scalar(Scalar)>& load,
                     const std::function<Expr(Expr)>& index) {
  if (s == nullptr) return nullptr;
  std::vector<Scalar> operands;
  for (Scalar operand : s->operands) operands.push_back(rewrite_loads(cx, operand, load, index));
  Indices at;
  for (Expr e : s->indices) at.push_back(index(e));
  switch (s->kind) {
    case ScalarKind::Const: return s;
    case ScalarKind::Index: return cx.index(at[0]);
    case ScalarKind::Load: return load(cx.load(s->buffer, at));
    case ScalarKind::Gather: return load(cx.gather(s->buffer, operands));
    case ScalarKind::Unary: return cx.unary(s->unary(), operands[0]);
    case ScalarKind::Binary: return cx.binary(s->binary(), operands[0], operands[1]);
    case ScalarKind::Select: return cx.select(operands[0], operands[1], operands[2]);
    case ScalarKind::Cast: return cx.cast(s->type, operands[0]);
  }
  return nullptr;
}

}  // namespace cambium::schedule::neural

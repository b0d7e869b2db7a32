#include "program/analysis.h"

#include <algorithm>

#include "expr/substitute.h"

namespace cambium::program {
namespace {

class Accesses {
 public:
  explicit Accesses(Context& cx) : cx_(cx) {}

  void visit(Scalar s) {
    if (s->buffer != nullptr) {
      found_.push_back({Access::Kind::Read, s->buffer, s->indices, s, guards_});
    }
    if (s->kind != ScalarKind::Select) {
      for (Scalar operand : s->operands) visit(operand);
      return;
    }
    visit(s->operands[0]);
    const std::size_t before = guards_.size();
    assume(s->operands[0], true);
    visit(s->operands[1]);
    guards_.resize(before);
    assume(s->operands[0], false);
    visit(s->operands[2]);
    guards_.resize(before);
  }

  std::vector<Access>& found() { return found_; }

 private:
  // What a condition says about indices when it is true or false.
  void assume(Scalar condition, bool holds) {
    if (condition->kind == ScalarKind::Index) {
      Expr p = condition->indices[0];
      add_conjuncts(cx_, holds ? p : expr::logical_not(cx_.indices(), p), guards_);
    } else if (condition->kind == ScalarKind::Unary && condition->unary() == UnaryFn::Not) {
      assume(condition->operands[0], !holds);
    } else if (condition->kind == ScalarKind::Binary &&
               condition->binary() == (holds ? BinaryFn::And : BinaryFn::Or)) {
      assume(condition->operands[0], holds);
      assume(condition->operands[1], holds);
    }
  }

  Context& cx_;
  std::vector<Access> found_;
  std::vector<Expr> guards_;
};

// The flat position as a sum of strides; false when an index is not linear in the axis.
bool add_stride(Expr e, Expr axis, std::int64_t scale, std::int64_t& stride) {
  switch (e->kind) {
    case expr::Kind::Axis:
      if (e == axis) stride += scale;
      return true;
    case expr::Kind::Add:
      return add_stride(e->a, axis, scale, stride) && add_stride(e->b, axis, scale, stride);
    case expr::Kind::Mul:
      return add_stride(e->a, axis, scale * expr::value_of(e->b).factor, stride);
    case expr::Kind::Const:
    case expr::Kind::Bool:
    case expr::Kind::Div:
    case expr::Kind::Mod:
    case expr::Kind::Min:
    case expr::Kind::Max:
    case expr::Kind::Less:
    case expr::Kind::Equal:
    case expr::Kind::And:
    case expr::Kind::Or:
    case expr::Kind::Not: break;
  }
  return !uses(e, axis);
}

void add_axes(Expr e, std::vector<Expr>& axes) {
  if (e->kind == expr::Kind::Axis) {
    if (std::find(axes.begin(), axes.end(), e) == axes.end()) axes.push_back(e);
    return;
  }
  if (expr::info(e->kind).operands == 0) return;
  add_axes(e->a, axes);
  if (e->b != nullptr) add_axes(e->b, axes);
}

std::vector<expr::Replacement> bindings_of(const Block& block) {
  std::vector<expr::Replacement> replacements;
  for (std::size_t i = 0; i < block.bindings.size(); ++i) {
    replacements.push_back({block.body->iterators[i].axis, block.bindings[i]});
  }
  return replacements;
}

bool loads(Scalar s, const Buffer* buffer) {
  if (s == nullptr) return false;
  return s->buffer == buffer || std::any_of(s->operands.begin(), s->operands.end(),
                                            [&](Scalar operand) { return loads(operand, buffer); });
}

}  // namespace

bool touches(const Body& body, const Buffer* buffer) {
  return std::find(body.buffers.begin(), body.buffers.end(), buffer) != body.buffers.end();
}

void add_conjuncts(Context& cx, Expr p, std::vector<Expr>& conjuncts) {
  if (p->kind == expr::Kind::And) {
    add_conjuncts(cx, p->a, conjuncts);
    add_conjuncts(cx, p->b, conjuncts);
  } else if (p->kind == expr::Kind::Not && p->a->kind == expr::Kind::Or) {
    add_conjuncts(cx, expr::logical_not(cx.indices(), p->a->a), conjuncts);
    add_conjuncts(cx, expr::logical_not(cx.indices(), p->a->b), conjuncts);
  } else if (p->kind == expr::Kind::Not && p->a->kind == expr::Kind::Not) {
    add_conjuncts(cx, p->a->a, conjuncts);
  } else if (p->kind != expr::Kind::Bool || !expr::truth_of(p)) {
    conjuncts.push_back(p);
  }
}

std::vector<Access> accesses_of(Context& cx, const Body& body) {
  Accesses accesses(cx);
  accesses.found().push_back({Access::Kind::Write, body.target, body.indices, nullptr, {}});
  if (body.combine != Combine::Assign && body.init == nullptr) {
    accesses.found().push_back({Access::Kind::Update, body.target, body.indices, nullptr, {}});
  }
  accesses.visit(body.value);
  if (body.init != nullptr) accesses.visit(body.init);
  return std::move(accesses.found());
}

bool uses(Expr e, Expr axis) {
  if (e->kind == expr::Kind::Axis) return e == axis;
  if (expr::info(e->kind).operands == 0) return false;
  return uses(e->a, axis) || (e->b != nullptr && uses(e->b, axis));
}

std::vector<Expr> axes_of(Expr e) {
  std::vector<Expr> axes;
  add_axes(e, axes);
  return axes;
}

Expr over_loops(Context& cx, const Block& block, Expr e) {
  return expr::substitute(cx.indices(), e, bindings_of(block));
}

std::vector<Expr> over_loops(Context& cx, const Block& block, std::span<const Expr> all) {
  const std::vector<expr::Replacement> bindings = bindings_of(block);
  std::vector<Expr> result;
  for (Expr e : all) result.push_back(expr::substitute(cx.indices(), e, bindings));
  return result;
}

Feeds feeds_of(const Loop& loop, const Block& block) {
  Feeds feeds;
  for (std::size_t i = 0; i < block.bindings.size(); ++i) {
    if (!uses(block.bindings[i], loop.axis)) continue;
    const bool spatial = block.body->iterators[i].kind == IteratorKind::Spatial;
    (spatial ? feeds.spatial : feeds.reduce) = true;
  }
  return feeds;
}

const Loop* home_of(std::span<const Site> sites, const Buffer* buffer) {
  if (buffer->role != Role::Local) return nullptr;
  const Site* first = nullptr;
  std::size_t common = 0;  // loops around all uses
  std::size_t users = 0;
  for (const Site& site : sites) {
    if (!touches(*site.block->body, buffer)) continue;
    ++users;
    if (first == nullptr) {
      first = &site;
      common = site.loops.size();
      continue;
    }
    std::size_t same = 0;
    while (same < common && same < site.loops.size() && site.loops[same] == first->loops[same]) {
      ++same;
    }
    common = same;
  }
  if (users < 2) return nullptr;
  for (std::size_t i = 0; i < common; ++i) {
    const bool accumulates = std::any_of(sites.begin(), sites.end(), [&](const Site& site) {
      return site.block->body->target == buffer && site.block->body->combine != Combine::Assign &&
             feeds_of(*first->loops[i], *site.block).reduce;
    });
    if (accumulates) common = i;
  }
  return common == 0 ? nullptr : first->loops[common - 1];
}

std::optional<std::int64_t> stride_of(const Buffer& buffer, std::span<const Expr> indices,
                                      Expr axis) {
  std::int64_t stride = 0;
  std::int64_t scale = 1;
  for (std::size_t i = indices.size(); i-- > 0;) {
    if (!add_stride(indices[i], axis, scale, stride)) return std::nullopt;
    scale *= buffer.dims[i];
  }
  return stride;
}

std::vector<std::size_t> writers_of(std::span<const Site> sites, const Buffer* buffer) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    if (sites[i].block->body->target == buffer) found.push_back(i);
  }
  return found;
}

std::vector<std::size_t> readers_of(std::span<const Site> sites, const Buffer* buffer) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const Body& body = *sites[i].block->body;
    if (!touches(body, buffer)) continue;
    if (loads(body.value, buffer) || loads(body.init, buffer)) found.push_back(i);
  }
  return found;
}

}  // namespace cambium::program

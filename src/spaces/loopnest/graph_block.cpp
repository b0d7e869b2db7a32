#include "spaces/loopnest/graph_block.h"

#include <algorithm>
#include <string>
#include <utility>

#include "expr/simplify.h"
#include "expr/substitute.h"
#include "program/analysis.h"

namespace cambium::spaces::loopnest {
namespace {

using program::Scalar;
using program::ScalarKind;

bool is_zero(Scalar s) {
  return s->kind == ScalarKind::Const && s->type == DType::F32 && s->number() == 0;
}

Rejection unknown(const program::Block& block, std::string why) {
  return Rejection(Reason::NotAContraction, std::string(block.name), std::move(why));
}

// Takes the value of a block apart.
class Taking {
 public:
  Taking(program::Context& cx, BlockForm& form) : cx_(cx), form_(form) {}

  bool value(Scalar s) {
    switch (s->kind) {
      case ScalarKind::Load:
        form_.factors.push_back({s->buffer, {s->indices.begin(), s->indices.end()}});
        return true;
      case ScalarKind::Binary:
        return s->binary() == program::BinaryFn::Mul && value(s->operands[0]) &&
               value(s->operands[1]);
      case ScalarKind::Select:
        return is_zero(s->operands[2]) && condition(s->operands[0]) && value(s->operands[1]);
      default: return false;
    }
  }

 private:
  bool condition(Scalar s) {
    if (s->kind != ScalarKind::Index) return false;
    program::add_conjuncts(cx_, s->indices[0], form_.conditions);
    return true;
  }

  program::Context& cx_;
  BlockForm& form_;
};

// Replaces axes everywhere.
void replace_axes(program::Context& cx, std::vector<Expr>& exprs,
                  const std::vector<expr::Replacement>& by) {
  for (Expr& e : exprs) {
    e = expr::simplify(cx.indices(), expr::substitute(cx.indices(), e, by));
  }
}

void replace_axes(program::Context& cx, BlockForm& form, const std::vector<expr::Replacement>& by) {
  replace_axes(cx, form.to, by);
  for (Reading& factor : form.factors) replace_axes(cx, factor.at, by);
  replace_axes(cx, form.conditions, by);
}

// Loops of one iteration are gone, except where nothing else counts a dimension: the samples of a
// batch of one keep their axis.
void drop_single_loops(program::Context& cx, BlockForm& form) {
  std::vector<expr::Replacement> zero;
  for (const Expr loop : form.loops) {
    if (expr::value_of(expr::extent_of(loop)).is(1)) zero.push_back({loop, cx.number(0)});
  }
  const auto is_alone = [](Expr e) { return e->kind == expr::Kind::Axis; };
  const auto drop = [&](std::vector<Expr>& exprs) {
    for (Expr& e : exprs) {
      if (is_alone(e)) continue;
      e = expr::simplify(cx.indices(), expr::substitute(cx.indices(), e, zero));
    }
  };
  drop(form.to);
  for (Reading& factor : form.factors) drop(factor.at);
  drop(form.conditions);
}

}  // namespace

std::int64_t extent_of_loop(Expr loop) {
  return expr::value_of(expr::extent_of(loop)).factor;
}

Result<BlockForm> form_of(program::Context& cx, const program::Site& site) {
  const program::Block& block = *site.block;
  const program::Body& body = *block.body;
  if (block.predicate->kind != expr::Kind::Bool || !expr::truth_of(block.predicate)) {
    return unknown(block, "some of its iterations do nothing");
  }
  BlockForm form;
  form.name = block.name;
  for (const program::Loop* loop : site.loops) form.loops.push_back(loop->axis);
  form.target = body.target;
  form.to.assign(body.indices.begin(), body.indices.end());
  const bool is_assigned = body.combine == program::Combine::Assign;
  if (!is_assigned && body.combine != program::Combine::Sum) {
    return unknown(block, "it is not a sum of products");
  }
  if (!is_zero(body.value) && !Taking(cx, form).value(body.value)) {
    return unknown(block, "it is not a sum of products");
  }
  if (body.init != nullptr && !is_zero(body.init)) {
    return unknown(block, "its sum does not start at 0");
  }
  form.is_sum = !is_assigned || form.factors.size() > 1;
  form.starts_anew = is_assigned || body.init != nullptr;
  std::vector<expr::Replacement> bindings;
  for (std::size_t i = 0; i < body.iterators.size(); ++i) {
    bindings.push_back({body.iterators[i].axis, block.bindings[i]});
  }
  replace_axes(cx, form, bindings);
  drop_single_loops(cx, form);
  return form;
}

BlockForm at_iteration(program::Context& cx, const BlockForm& form, Expr loop,
                       std::int64_t iteration) {
  BlockForm one = form;
  replace_axes(cx, one, {{loop, cx.number(iteration)}});
  std::erase(one.loops, loop);
  return one;
}

bool can_read_through(const BlockForm& copy) {
  if (!copy.is_copy()) return false;
  for (std::size_t d = 0; d < copy.to.size(); ++d) {
    const Expr e = copy.to[d];
    if (e->kind != expr::Kind::Axis) return false;
    if (!expr::value_of(expr::extent_of(e)).is(copy.target->dims[d])) return false;
    if (std::count(copy.to.begin(), copy.to.end(), e) > 1) return false;
  }
  return true;
}

void read_through(program::Context& cx, const BlockForm& copy, BlockForm& form) {
  for (Reading& factor : form.factors) {
    if (factor.buffer != copy.target) continue;
    std::vector<expr::Replacement> by;
    for (std::size_t d = 0; d < copy.to.size(); ++d) by.push_back({copy.to[d], factor.at[d]});
    std::vector<Expr> conditions = copy.conditions;
    factor = copy.factors[0];
    replace_axes(cx, factor.at, by);
    replace_axes(cx, conditions, by);
    form.conditions.insert(form.conditions.end(), conditions.begin(), conditions.end());
  }
}

}  // namespace cambium::spaces::loopnest

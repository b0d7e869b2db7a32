#include "schedule/rules/contraction.h"

#include <algorithm>

namespace cambium::schedule {

using program::Body;
using program::Expr;
using program::Scalar;
using program::ScalarKind;

namespace {

bool moves(Scalar load, Expr axis) {
  return std::any_of(load->indices.begin(), load->indices.end(),
                     [axis](Expr e) { return program::uses(e, axis); });
}

}  // namespace

Expr condition_of(const Body& body) {
  const Scalar value = body.value;
  if (body.combine != program::Combine::Sum || value->kind != ScalarKind::Select ||
      value->operands[0]->kind != ScalarKind::Index) {
    return nullptr;
  }
  const Scalar otherwise = value->operands[2];
  const bool adds_nothing = otherwise->kind == ScalarKind::Const && is_floating(otherwise->type) &&
                            otherwise->number() == 0;
  return adds_nothing ? value->operands[0]->indices[0] : nullptr;
}

std::optional<Contraction> contraction_of(const Body& body) {
  Contraction c;
  const Scalar value = condition_of(body) == nullptr ? body.value : body.value->operands[1];
  if (body.combine != program::Combine::Sum || value->kind != ScalarKind::Binary ||
      value->binary() != program::BinaryFn::Mul) {
    return std::nullopt;
  }
  c.left = value->operands[0];
  c.right = value->operands[1];
  if (c.left->kind != ScalarKind::Load || c.right->kind != ScalarKind::Load) return std::nullopt;

  bool has_lane = false;
  for (std::size_t i = 0; i < body.iterators.size(); ++i) {
    const Expr axis = body.iterators[i].axis;
    if (body.iterators[i].kind == program::IteratorKind::Reduce) {
      c.reduce.push_back(i);
    } else if (program::stride_of(*body.target, body.indices, axis) == 1 &&
               body.iterators[i].extent() > 1 && moves(c.left, axis) != moves(c.right, axis)) {
      if (moves(c.left, axis)) std::swap(c.left, c.right);
      c.lane = i;
      has_lane = true;
    }
  }
  if (!has_lane || c.reduce.empty()) return std::nullopt;
  for (std::size_t i = 0; i < body.iterators.size(); ++i) {
    const Expr axis = body.iterators[i].axis;
    if (body.iterators[i].kind == program::IteratorKind::Reduce || i == c.lane) continue;
    const bool is_row = moves(c.left, axis) && !moves(c.right, axis);
    (is_row ? c.rows : c.batch).push_back(i);
  }
  return c;
}

}  // namespace cambium::schedule

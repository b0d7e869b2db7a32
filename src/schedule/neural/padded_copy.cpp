#include "schedule/neural/padded_copy.h"

#include <algorithm>

#include "program/analysis.h"

namespace cambium::schedule::neural {

using program::ScalarKind;

Scalar PaddedCopy::value(Context& cx, const Buffer* from, const Indices& at,
                         const std::vector<bool>& padded) const {
  Indices reads;
  Expr inside = nullptr;
  for (std::size_t d = 0; d < padded.size(); ++d) {
    reads.push_back(padded[d] ? source_at[d] : at[d]);
    if (!padded[d]) continue;
    for (const Expr e : conditions[d]) {
      inside = inside == nullptr ? e : expr::logical_and(cx.indices(), inside, e);
    }
  }
  return cx.select(cx.index(inside), cx.load(from, reads), cx.constant(0, from->dtype));
}

std::optional<PaddedCopy> padded_copy_of(Context& cx, const program::Block* block,
                                         const Nest& copy) {
  const std::size_t rank = copy.target->dims.size();
  if (copy.combine != program::Combine::Assign || copy.value->kind != ScalarKind::Select) {
    return std::nullopt;
  }
  const Scalar inside = copy.value->operands[1], zero = copy.value->operands[2];
  const Scalar condition = copy.value->operands[0];
  if (inside->kind != ScalarKind::Load || zero->kind != ScalarKind::Const || zero->bits != 0 ||
      condition->kind != ScalarKind::Index || copy.indices.size() != rank ||
      inside->indices.size() != rank) {
    return std::nullopt;
  }
  PaddedCopy padded;
  padded.block = block;
  padded.source = inside->buffer;
  padded.source_at.assign(inside->indices.begin(), inside->indices.end());
  padded.conditions.resize(rank);
  for (std::size_t d = 0; d < rank; ++d) {
    const auto is_own = [&](const NestAxis& axis) { return axis.iterator == copy.indices[d]; };
    if (std::none_of(copy.axes.begin(), copy.axes.end(), is_own)) return std::nullopt;
    const bool moves = padded.source_at[d] != copy.indices[d];
    if (moves && !program::uses(padded.source_at[d], copy.indices[d])) return std::nullopt;
  }
  std::vector<Expr> all;
  program::add_conjuncts(cx, condition->indices[0], all);
  for (const Expr e : all) {
    const std::vector<Expr> axes = program::axes_of(e);
    if (axes.size() != 1) return std::nullopt;
    const auto dim = std::find(copy.indices.begin(), copy.indices.end(), axes[0]);
    if (dim == copy.indices.end()) return std::nullopt;
    padded.conditions[static_cast<std::size_t>(dim - copy.indices.begin())].push_back(e);
  }
  return padded;
}

}  // namespace cambium::schedule::neural

#include "schedule/neural/nest_contraction.h"

#include <algorithm>

#include "expr/simplify.h"
#include "program/analysis.h"

namespace cambium::schedule::neural {
namespace {

using program::ScalarKind;

bool any_uses(const Indices& indices, Expr axis) {
  return std::any_of(indices.begin(), indices.end(),
                     [&](Expr e) { return program::uses(e, axis); });
}

// The one buffer that a scalar reads, by one load; nullptr: none, or more.
const Buffer* single_read(Scalar s) {
  const Buffer* found = nullptr;
  int reads = 0;
  program::for_each_scalar(s, [&](Scalar part) {
    if (part->buffer == nullptr) return;
    ++reads;
    if (part->kind == ScalarKind::Load) found = part->buffer;
  });
  return reads == 1 ? found : nullptr;
}

bool is_zero(Scalar s) {
  return s->kind == ScalarKind::Const && s->bits == 0;
}

// Where each dimension of the weights is read: from `offset`, `size` of them.
struct Part {
  std::vector<std::int64_t> offsets, sizes;
  std::vector<std::size_t> partial;  // the dimensions that are not read in full
};

// Whether an index takes every value from 0 to below `size`, as axis/3 and axis%3 do behind a fuse.
bool takes_all(Expr e, std::int64_t size) {
  const bool is_digit =
      (e->kind == expr::Kind::Div || e->kind == expr::Kind::Mod) && e->a->kind == expr::Kind::Axis;
  return is_digit && e->range.lo == 0 && e->range.hi == size - 1;
}

Result<Part> part_of(const Draft& draft, const Contraction& c) {
  Part part;
  const std::vector<std::int64_t> dims = draft.dims_of(c.weights);
  const Indices at = c.weights_at();
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const std::optional<Digits> digits = digits_of(draft.cx(), at[d]);
    if (takes_all(at[d], dims[d])) {
      part.offsets.push_back(0);
      part.sizes.push_back(dims[d]);
      continue;
    }
    const std::int64_t size = digits ? digits->dense_size() : 0;
    if (size == 0) return not_a_contraction(c, "its weights are not read in order");
    part.offsets.push_back(digits->offset);
    part.sizes.push_back(size);
    if (size != dims[d]) part.partial.push_back(d);
  }
  return part;
}

Indices moved_to_start(const Draft& draft, const Indices& at, const Part& part) {
  Indices moved;
  expr::Context& ex = draft.cx().indices();
  for (std::size_t d = 0; d < at.size(); ++d) {
    const Expr offset = draft.cx().number(part.offsets[d]);
    moved.push_back(expr::simplify(ex, expr::sub(ex, at[d], offset)));
  }
  return moved;
}

// Takes [from, from + size) out of a dimension of a buffer that `blocks` read, if none of them
// needs it.
void cut(Draft& draft, const Buffer* buffer, std::size_t dim, std::int64_t from, std::int64_t size,
         const std::vector<const Block*>& blocks) {
  std::vector<const Block*> above;
  for (const Site& site : draft.sites()) {
    if (std::find(blocks.begin(), blocks.end(), site.block) == blocks.end()) continue;
    const Result<Nest> nest = nest_of(draft.cx(), draft.sites(), site);
    const std::optional<Indices> at = nest ? nest->read_of(buffer) : std::nullopt;
    if (!at) return;
    const expr::Interval range = (*at)[dim]->range;
    if (range.hi < from) continue;
    if (range.lo < from + size) return;
    above.push_back(site.block);
  }
  expr::Context& ex = draft.cx().indices();
  // All of them are edited: iterators that run as far as their loops do stay inside what is left.
  for (const Block* block : blocks) CAMBIUM_CHECK(draft.edit(block).ok(), "it has a nest");
  for (const Block* block : above) {
    Nest* nest = *draft.edit(block);
    Indices at = *nest->read_of(buffer);
    at[dim] = expr::simplify(ex, expr::sub(ex, at[dim], draft.cx().number(size)));
    nest->move_read(draft.cx(), buffer, buffer, at);
  }
  draft.resize(buffer, dim, draft.dims_of(buffer)[dim] - size);
}

}  // namespace

bool Contraction::in_x(Expr iterator) const {
  return any_uses(x_at(), iterator);
}

bool Contraction::in_weights(Expr iterator) const {
  return any_uses(weights_at(), iterator);
}

LoopRole Contraction::role_of(const NestAxis& axis) const {
  if (axis.iterator == nullptr) return LoopRole::Other;
  const bool weighted = in_weights(axis.iterator);
  if (axis.is_spatial()) return weighted ? LoopRole::Out : LoopRole::Pixel;
  if (!weighted || !in_x(axis.iterator)) return LoopRole::Other;
  const Indices at = x_at();
  for (const NestAxis& other : nest->axes) {
    if (!other.is_spatial() || other.iterator == nullptr || other.extent == 1) continue;
    if (in_weights(other.iterator)) continue;
    for (Expr e : at) {
      if (program::uses(e, axis.iterator) && program::uses(e, other.iterator)) return LoopRole::Tap;
    }
  }
  return LoopRole::In;
}

Rejection not_a_contraction(const Contraction& contraction, std::string why) {
  return Rejection(Reason::NotAContraction, std::string(contraction.nest->name), std::move(why));
}

Result<Contraction> contraction_of(Draft& draft, const program::Block* block) {
  Contraction c;
  c.block = block;
  CAMBIUM_TRY(c.nest, draft.edit(block));
  const Nest& nest = *c.nest;
  if (nest.combine != program::Combine::Sum || (nest.init != nullptr && !is_zero(nest.init))) {
    return not_a_contraction(c, "it is not a sum that starts at 0");
  }
  if (nest.value->kind != ScalarKind::Binary || nest.value->binary() != program::BinaryFn::Mul) {
    return not_a_contraction(c, "it does not sum products");
  }
  const Buffer* left = single_read(nest.value->operands[0]);
  const Buffer* right = single_read(nest.value->operands[1]);
  const auto is_weights = [](const Buffer* b, Scalar s) {
    return b != nullptr && b->role == program::Role::Constant && s->kind == ScalarKind::Load;
  };
  const bool right_is_weights = is_weights(right, nest.value->operands[1]);
  c.x = right_is_weights ? left : right;
  c.weights = right_is_weights ? right : left;
  const bool known = right_is_weights || is_weights(left, nest.value->operands[0]);
  if (!known || c.x == nullptr || c.x == c.weights || c.x->role == program::Role::Constant) {
    return not_a_contraction(c, "it does not multiply by one constant");
  }
  return c;
}

Result<Contraction> contraction_at(Draft& draft, std::string_view name) {
  const program::Loop* loop = program::find_loop(draft.program(), name);
  if (loop == nullptr) return Rejection(Reason::UnknownName, std::string(name));
  const program::Block* block = nullptr;
  for (const Site& site : draft.sites()) {
    if (!site.is_under(loop)) continue;
    if (block != nullptr) {
      return Rejection(Reason::NotAContraction, std::string(block->name),
                       "it shares loop '" + std::string(name) + "' with block '" +
                           std::string(site.block->name) + "'");
    }
    block = site.block;
  }
  return contraction_of(draft, block);
}

Status are_outermost(const Contraction& contraction, const Names& loops) {
  for (const std::string& loop : loops) {
    if (contraction.nest->find(loop) == nullptr) {
      return Rejection(Reason::NotNested, loops.front(), loop);
    }
  }
  std::size_t next = 0;
  for (const NestAxis& axis : contraction.nest->axes) {
    if (next == loops.size()) break;
    if (axis.loop == loops[next]) {
      ++next;
    } else if (axis.extent != 1) {
      return Rejection(Reason::NotOutermost, loops[next]);
    }
  }
  return Ok{};
}

Status own_weights(Draft& draft, Contraction& c) {
  CAMBIUM_TRY(const Part part, part_of(draft, c));
  std::vector<const Block*> others;
  for (std::size_t i : program::readers_of(draft.sites(), c.weights)) {
    if (draft.sites()[i].block != c.block) others.push_back(draft.sites()[i].block);
  }
  if (others.empty() && part.partial.empty()) return Ok{};
  const Buffer* before = c.weights;
  if (others.empty()) {
    for (std::size_t d : part.partial) draft.resize(before, d, part.sizes[d]);
  } else {
    c.weights = draft.add_weights(before, part.sizes);
  }
  c.nest->move_read(draft.cx(), before, c.weights,
                    moved_to_start(draft, *c.nest->read_of(before), part));
  if (!others.empty() && part.partial.size() == 1) {
    const std::size_t d = part.partial[0];
    cut(draft, before, d, part.offsets[d], part.sizes[d], others);
  }
  return Ok{};
}

Status resize_in_weights(Draft& draft, Contraction& c, NestAxis& axis, std::int64_t extent) {
  const Expr before = axis.iterator;
  const std::int64_t old_extent = axis.extent;
  Indices at = c.weights_at();
  c.nest->resize(draft.cx(), axis, extent);
  for (std::size_t d = 0; d < at.size(); ++d) {
    if (!program::uses(at[d], before)) continue;
    const std::optional<Digits> digits = digits_of(draft.cx(), at[d]);
    // A loop that was fused from others counts no digit of its own.
    if (!digits) return not_a_contraction(c, "its weights are not read in order");
    at[d] = digits->resized(draft.cx(), before, axis.iterator, extent);
    draft.resize(c.weights, d, draft.dims_of(c.weights)[d] / old_extent * extent);
  }
  c.nest->move_read(draft.cx(), c.weights, c.weights, at);
  return Ok{};
}

Result<std::size_t> owned_dimension(const Draft& draft, const Contraction& c, Expr iterator) {
  const Nest& nest = *c.nest;
  if (program::writers_of(draft.sites(), nest.target).size() != 1) {
    return not_a_contraction(c, "another block writes its target too");
  }
  std::optional<std::size_t> found;
  for (std::size_t d = 0; d < nest.indices.size(); ++d) {
    if (!program::uses(nest.indices[d], iterator)) continue;
    const std::optional<Digits> digits = digits_of(draft.cx(), nest.indices[d]);
    if (found || !digits || digits->dense_size() != draft.dims_of(nest.target)[d]) {
      return not_a_contraction(c, "its target is not written in order");
    }
    found = d;
  }
  if (!found) return not_a_contraction(c, "its target does not move with the loop");
  return *found;
}

}  // namespace cambium::schedule::neural

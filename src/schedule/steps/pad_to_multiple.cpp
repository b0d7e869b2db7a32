#include "schedule/steps/pad_to_multiple.h"

#include <algorithm>

#include "program/analysis.h"
#include "program/limits.h"
#include "program/prove.h"
#include "program/rewrite.h"
#include "program/verify.h"
#include "schedule/steps/identity.h"
#include "schedule/steps/place.h"

namespace cambium::schedule {
namespace {

using namespace program;

// The loop of the iterator: one plain loop that is for this block's iterator alone.
Result<const Loop*> loop_of(const Site& site, std::size_t k) {
  const Block& block = *site.block;
  const auto found = std::find_if(site.loops.begin(), site.loops.end(), [&](const Loop* loop) {
    return loop->axis == block.bindings[k];
  });
  const std::string name(expr::name_of(block.body->iterators[k].axis));
  if (found == site.loops.end()) return Rejection(Reason::LoopNotPlain, name);
  const Loop& loop = **found;
  std::vector<const Loop*> around;
  bool alone = true;
  for_each_stmt(&loop, around, [&](Stmt s, const auto&) {
    alone = alone && (s->kind != StmtKind::Block || s == &block);
  });
  for (std::size_t other = 0; other < block.bindings.size(); ++other) {
    alone = alone && (other == k || !uses(block.bindings[other], loop.axis));
  }
  if (!alone || !is_plain(loop) || uses(block.predicate, loop.axis) ||
      loop.extent() != block.body->iterators[k].extent()) {
    return Rejection(Reason::LoopNotPlain, std::string(loop.name()));
  }
  return *found;
}

bool mentions(Scalar s, Expr axis) {
  bool found = false;
  for_each_scalar(s, [&](Scalar part) {
    for (Expr e : part->indices) found = found || uses(e, axis);
  });
  return found;
}

// Loads that new points would make outside their buffers give 0 there.
Scalar guarded(Context& cx, Scalar value, Expr axis, Expr is_old) {
  return rewrite(cx, value, keep_index(), [&](Scalar s) {
    bool inside = s->kind == ScalarKind::Load;
    for (std::size_t d = 0; d < s->indices.size(); ++d) {
      inside = inside &&
               (!uses(s->indices[d], axis) ||
                stays_within(cx, s->indices[d], 0, s->buffer->dims[d], {}).proof == Proof::Yes);
    }
    const bool moves = mentions(s, axis);
    return inside || !moves ? s : cx.select(cx.index(is_old), s, zero_of(cx, s->type));
  });
}

// The body with an iterator of another extent.
const Body* widened(Context& cx, const Body& body, std::size_t k, Expr axis, const Buffer* target) {
  std::vector<Iterator> iterators(body.iterators.begin(), body.iterators.end());
  const Iterator old = iterators[k];
  iterators[k].axis = axis;
  const MapIndex index = substituting(cx, {{old.axis, axis}});
  Body fields = *rewrite(cx, body, index, keep_access());
  fields.iterators = iterators;
  fields.target = target;
  Expr is_old = expr::less(cx.indices(), axis, cx.number(old.extent()));
  if (old.kind == IteratorKind::Reduce) {
    fields.value = cx.select(cx.index(is_old), fields.value,
                             identity_of(cx, body.combine, fields.value->type));
  } else {
    fields.value = guarded(cx, fields.value, axis, is_old);
    if (fields.init != nullptr) fields.init = guarded(cx, fields.init, axis, is_old);
  }
  return cx.body(fields);
}

// The dimension of the target that the iterator alone is an index of.
Result<std::size_t> dimension_of(const Block& block, Expr axis) {
  const Body& body = *block.body;
  const auto uses_it = [&](Expr e) { return uses(e, axis); };
  const auto d = std::find(body.indices.begin(), body.indices.end(), axis);
  if (d == body.indices.end() ||
      std::count_if(body.indices.begin(), body.indices.end(), uses_it) != 1) {
    return Rejection(
        Reason::NotElementwise, std::string(block.name),
        "'" + std::string(expr::name_of(axis)) + "' is not itself an index of its target");
  }
  const auto at = static_cast<std::size_t>(d - body.indices.begin());
  if (body.target->dims[at] != expr::value_of(expr::extent_of(axis)).factor) {
    return Rejection(Reason::NotElementwise, std::string(block.name),
                     "'" + std::string(expr::name_of(axis)) + "' is a part of its dimension only");
  }
  return at;
}

}  // namespace

Result<Applied> PadToMultiple::apply(Context& cx, const Program& program) const {
  const std::vector<Site> sites = sites_of(program);
  CAMBIUM_TRY(const Block* found, block_named(program, block));
  const Body& body = *found->body;
  std::size_t k = 0;
  while (k < body.iterators.size() && expr::name_of(body.iterators[k].axis) != iterator) ++k;
  if (k == body.iterators.size()) return Rejection(Reason::UnknownName, iterator);
  const Iterator it = body.iterators[k];
  if (multiple < 1 || multiple > kMostIterations - it.extent()) {
    return Rejection(Reason::BadFactors, iterator, "a multiple of " + std::to_string(multiple));
  }
  const std::int64_t extent = (it.extent() + multiple - 1) / multiple * multiple;
  const Buffer* target = body.target;
  const bool grows = it.kind == IteratorKind::Spatial;
  if (grows) {
    if (target->role != Role::Local) {
      return Rejection(Reason::NotLocal, std::string(target->name), "it is a parameter");
    }
    CAMBIUM_TRY(const std::size_t d, dimension_of(*found, it.axis));
    std::vector<std::int64_t> dims(target->dims.begin(), target->dims.end());
    dims[d] = extent;
    CAMBIUM_REQUIRE(check_dims(dims));
    target = cx.buffer(target->name, target->dtype, dims, Role::Local, target->annotations);
  }
  CAMBIUM_TRY(const Loop* loop, loop_of(site_of(sites, found), k));
  if (extent == it.extent()) return Applied{program, {}};
  Expr axis = cx.axis(loop->name(), extent);
  std::vector<Expr> bindings(found->bindings.begin(), found->bindings.end());
  bindings[k] = axis;
  const Body* wide = widened(cx, body, k, cx.axis(iterator, extent), body.target);
  Stmt by = cx.block(found->name, wide, bindings, found->predicate, found->annotations);
  Program result = replace(cx, program, found, by);
  const Loop* now = find_loop(result, loop->name());
  result = replace(cx, result, now, cx.loop(axis, now->how, now->body, now->annotations));
  if (grows) result = schedule::with_buffer(cx, result, body.target, target);
  CAMBIUM_REQUIRE(check(cx, result, Stage::Scheduled));
  return Applied{result, {}};
}

}  // namespace cambium::schedule

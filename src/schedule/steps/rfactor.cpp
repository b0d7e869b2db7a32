#include "schedule/steps/rfactor.h"

#include <algorithm>

#include "program/analysis.h"
#include "program/limits.h"
#include "program/prove.h"
#include "program/rewrite.h"
#include "program/verify.h"
#include "schedule/steps/identity.h"
#include "schedule/steps/place.h"
#include "schedule/steps/shrink.h"

namespace cambium::schedule {
namespace {

using namespace program;

Rejection no_reduction(const std::string& loop, std::string why) {
  return Rejection(Reason::NotAReduction, loop, std::move(why));
}

// The block that the loop reduces for.
Result<const Site*> reduced_by(std::span<const Site> sites, const Loop* loop,
                               const std::string& name) {
  const Site* only = nullptr;
  for (const Site& site : sites) {
    if (!site.is_under(loop)) continue;
    if (only != nullptr) return no_reduction(name, "it holds several blocks");
    only = &site;
  }
  const Feeds feeds = feeds_of(*loop, *only->block);
  if (!feeds.reduce || feeds.spatial)
    return no_reduction(name, "it does not feed only a reduction");
  for (const Loop* around : only->loops) {
    const Feeds fed = feeds_of(*around, *only->block);
    if (fed.reduce && fed.spatial) {
      return no_reduction(name,
                          "loop '" + std::string(around->name()) + "' moves other iterators too");
    }
  }
  return only;
}

// The predicate in two: what it says of reduce iterators becomes a condition of the value.
struct Guards {
  Expr spatial;
  std::vector<Expr> reduce;
};
Result<Guards> guards_of(Context& cx, const Site& site, const std::string& loop) {
  Guards guards{cx.indices().boolean(true), {}};
  std::vector<Expr> conjuncts;
  add_conjuncts(cx, site.block->predicate, conjuncts);
  for (Expr p : conjuncts) {
    bool spatial = false;
    bool reduce = false;
    for (const Loop* around : site.loops) {
      if (!uses(p, around->axis)) continue;
      const Feeds feeds = feeds_of(*around, *site.block);
      spatial = spatial || feeds.spatial;
      reduce = reduce || feeds.reduce;
    }
    if (spatial && reduce) return no_reduction(loop, "its predicate mixes it with other iterators");
    if (reduce) {
      guards.reduce.push_back(p);
    } else {
      guards.spatial = expr::logical_and(cx.indices(), guards.spatial, p);
    }
  }
  guards.spatial = tidy(cx, guards.spatial);
  return guards;
}

// An iterator named as its loop, unless another one is.
Iterator iterator_for(Context& cx, std::span<const Iterator> taken, const Loop& loop,
                      IteratorKind kind) {
  std::string name(loop.name());
  const auto is_taken = [&] {
    return std::any_of(taken.begin(), taken.end(),
                       [&](const Iterator& it) { return expr::name_of(it.axis) == name; });
  };
  while (is_taken()) name += ".r";
  return {cx.axis(name, loop.extent()), kind};
}

struct Parts {
  const Body* partial;
  std::vector<Expr> partial_bindings;
  const Body* final;
  const Buffer* local;
};

// Partial results over the loops as they are, and the block that puts them together.
Parts parts_of(Context& cx, const Program& program, const Site& site, const Loop* loop,
               const Guards& guards, std::size_t position) {
  const Body& body = *site.block->body;
  std::vector<Iterator> iterators;
  Parts parts{};
  for (std::size_t k = 0; k < body.iterators.size(); ++k) {
    if (body.iterators[k].kind != IteratorKind::Spatial) continue;
    iterators.push_back(body.iterators[k]);
    parts.partial_bindings.push_back(site.block->bindings[k]);
  }
  std::vector<Iterator> final_iterators = iterators;
  std::vector<expr::Replacement> loops;
  for (const Loop* around : site.loops) {
    if (!feeds_of(*around, *site.block).reduce) continue;
    const auto kind = around == loop ? IteratorKind::Spatial : IteratorKind::Reduce;
    iterators.push_back(iterator_for(cx, iterators, *around, kind));
    parts.partial_bindings.push_back(around->axis);
    loops.push_back({around->axis, iterators.back().axis});
  }
  const Expr lane = std::find_if(loops.begin(), loops.end(), [&](const auto& r) {
                      return r.axis == loop->axis;
                    })->by;
  final_iterators.push_back({lane, IteratorKind::Reduce});

  std::vector<std::int64_t> dims(body.target->dims.begin(), body.target->dims.end());
  std::vector<Expr> at(body.indices.begin(), body.indices.end());
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(position), loop->extent());
  at.insert(at.begin() + static_cast<std::ptrdiff_t>(position), lane);
  const std::string name = std::string(body.target->name) + ".part";
  parts.local = cx.buffer(Fresh(cx, program).buffer(name), body.target->dtype, dims, Role::Local);

  std::vector<expr::Replacement> point;  // reduce iterators over the new ones
  for (std::size_t k = 0; k < body.iterators.size(); ++k) {
    if (body.iterators[k].kind == IteratorKind::Spatial) continue;
    point.push_back(
        {body.iterators[k].axis, expr::substitute(cx.indices(), site.block->bindings[k], loops)});
  }
  const DType type = body.value->type;
  Body partial = body;
  partial.iterators = iterators;
  partial.target = parts.local;
  partial.indices = at;
  partial.value = rewrite(cx, body.value, substituting(cx, point), keep_access());
  for (Expr p : guards.reduce) {
    partial.value = cx.select(cx.index(expr::substitute(cx.indices(), p, loops)), partial.value,
                              identity_of(cx, body.combine, type));
  }
  partial.init = identity_of(cx, body.combine, type);
  if (loops.size() == 1) {  // nothing is left to reduce
    partial.combine = Combine::Assign;
    partial.init = nullptr;
  }
  parts.partial = cx.body(partial);
  Body final = body;
  final.iterators = final_iterators;
  final.value = cx.load(parts.local, at);
  parts.final = cx.body(final);
  return parts;
}

// The final block in copies of the spatial loops inside the outermost loop of the reduction.
Stmt final_nest(Context& cx, const Program& program, const Site& site, const Loop* loop,
                const Parts& parts, Expr predicate, Names& made) {
  Fresh fresh(cx, program);
  std::vector<expr::Replacement> copies;
  std::vector<Expr> axes;
  bool inside = false;
  for (const Loop* around : site.loops) {
    inside = inside || feeds_of(*around, *site.block).reduce;
    if (!inside || !feeds_of(*around, *site.block).spatial) continue;
    axes.push_back(fresh.axis(around->name(), around->extent()));
    copies.push_back({around->axis, axes.back()});
  }
  axes.push_back(fresh.axis(loop->name(), loop->extent()));
  std::vector<Expr> bindings;
  for (std::size_t k = 0; k + 1 < parts.final->iterators.size(); ++k) {
    bindings.push_back(expr::substitute(cx.indices(), parts.partial_bindings[k], copies));
  }
  bindings.push_back(axes.back());
  for (Expr axis : axes) made.emplace_back(expr::name_of(axis));
  return nest(cx, axes,
              cx.block(site.block->name, parts.final, bindings,
                       expr::substitute(cx.indices(), predicate, copies), site.block->annotations));
}

}  // namespace

Result<Applied> RFactor::apply(Context& cx, const Program& program) const {
  const std::vector<Site> sites = sites_of(program);
  CAMBIUM_TRY(const Loop* found, loop_named(program, loop));
  CAMBIUM_TRY(const Site* site, reduced_by(sites, found, loop));
  const Body& body = *site->block->body;
  if (value_type(body.target->dtype) != body.target->dtype) {
    // Every step of the reduction rounds to the type that is stored.
    return Rejection(Reason::NotAssociative, std::string(site->block->name));
  }
  if (position < 0 || position > static_cast<std::int64_t>(body.indices.size())) {
    return Rejection(Reason::BadFactors, loop, "there is no dimension " + std::to_string(position));
  }
  const Loop* outermost = *std::find_if(site->loops.begin(), site->loops.end(), [&](const Loop* l) {
    return feeds_of(*l, *site->block).reduce;
  });
  for (const Site& other : sites) {
    const auto& buffers = other.block->body->buffers;
    if (other.block != site->block && other.is_under(outermost) &&
        std::find(buffers.begin(), buffers.end(), body.target) != buffers.end()) {
      return no_reduction(loop,
                          "another block uses '" + std::string(body.target->name) + "' in it");
    }
  }
  CAMBIUM_TRY(const Guards guards, guards_of(cx, *site, loop));
  const Parts parts =
      parts_of(cx, program, *site, found, guards, static_cast<std::size_t>(position));
  const std::string name(Fresh(cx, program).block(parts.local->name));
  Applied applied{program, {name, std::string(parts.local->name)}};
  Stmt last = final_nest(cx, program, *site, found, parts, guards.spatial, applied.made);
  Stmt partial = cx.block(name, parts.partial, parts.partial_bindings, guards.spatial);
  applied.program = insert_after(cx, program, outermost, last);
  applied.program = replace(cx, applied.program, site->block, partial);
  applied.program = add_local(cx, applied.program, parts.local);
  applied.program = shrink(cx, applied.program, parts.local);
  CAMBIUM_REQUIRE(check_dims(find_buffer(applied.program, parts.local->name)->dims));
  CAMBIUM_REQUIRE(check(cx, applied.program, Stage::Scheduled));
  return applied;
}

}  // namespace cambium::schedule

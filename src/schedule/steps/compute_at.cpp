#include "schedule/steps/compute_at.h"

#include <algorithm>
#include <optional>

#include "expr/simplify.h"
#include "program/analysis.h"
#include "program/points.h"
#include "program/prove.h"
#include "program/region.h"
#include "program/verify.h"
#include "schedule/steps/place.h"
#include "schedule/steps/shrink.h"

namespace cambium::schedule {
namespace {

using namespace program;

// Per iterator of a block: the values that are wanted of it, or nothing: all.
using Wanted = std::vector<std::optional<Side>>;

// Adds the box of a point's values over the loops inside `loop`; false when all together are no
// box.
bool add_points(Context& cx, Wanted& wanted, const Site& site, std::span<const Expr> point,
                const Loop* loop, bool is_first) {
  for (std::size_t k = 0; k < point.size(); ++k) {
    if (point[k] == nullptr) continue;
    const Box box = box_of(cx, site, point.subspan(k, 1), loop);
    if (box.is_mixed) return false;
    wanted[k] = is_first ? box.sides[0] : united(cx, *wanted[k], box.sides[0]);
    if (!wanted[k]) return false;
  }
  return true;
}

Expr plus(Context& cx, Expr a, Expr b) {
  return expr::simplify(cx.indices(), expr::add(cx.indices(), a, b));
}

bool wraps_around(Expr e) {
  return e != nullptr && (e->kind == expr::Kind::Mod || wraps_around(e->a) || wraps_around(e->b));
}

// Where a local wraps around (t[i % 4]), several points of a block share an element, and the point
// that was read off an index need not be the one that meets it: it is if the block visits it while
// the loops around it and `other`, over whose iterators the point is, stand still.
bool is_that_point(Context& cx, std::span<const Expr> pattern, const Site& site,
                   std::span<const Expr> point, const Site& other) {
  if (std::none_of(pattern.begin(), pattern.end(), wraps_around)) return true;
  const Loop* fixed = common_loop(site, other);
  for (std::size_t k = 0; k < point.size(); ++k) {
    if (point[k] == nullptr) continue;
    const Expr axis = site.block->body->iterators[k].axis;
    const Box visited = box_of(cx, site, std::span(&axis, 1), fixed);
    const Box met = box_of(cx, other, point.subspan(k, 1), fixed);
    const Side &all = visited.sides[0], &some = met.sides[0];
    const auto at = [&](const Side& side, std::int64_t offset) {
      return plus(cx, side.base, cx.number(offset));
    };
    if (!provably_at_most(cx, at(all, all.range.lo), at(some, some.range.lo)) ||
        !provably_at_most(cx, at(some, some.range.hi), at(all, all.range.hi))) {
      return false;
    }
  }
  return true;
}

// Iterators that no index tells (t[0, h] once t holds one channel at a time) keep the values that
// the block visits in one iteration of the loops that it will still stand in: those around it and
// around `other`, down to `at`. False when those are no box.
bool keep_untold(Context& cx, Wanted& wanted, const Site& site, const Site& other, const Loop* at) {
  const Loop* fixed = nullptr;
  for (const Loop* loop : site.loops) {
    if (!other.is_under(loop)) break;
    fixed = loop;
    if (loop == at) break;
  }
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const Iterator& it = site.block->body->iterators[k];
    if (wanted[k] || it.kind == IteratorKind::Reduce) continue;
    const Box box = box_of(cx, site, std::span(&it.axis, 1), fixed);
    if (box.is_mixed || !box.is_exact) return false;
    wanted[k] = box.sides[0];
  }
  return true;
}

// New loops for the wanted points of a block, and the block in them. Points outside the ranges of
// the iterators are left out by the predicate.
struct Moved {
  Stmt nest;
  Names loops;
};
Moved over_wanted(Context& cx, const Program& program, const Block& block, const Wanted& wanted) {
  Fresh fresh(cx, program);
  std::vector<Expr> bindings, loops;
  Expr predicate = cx.indices().boolean(true);
  Moved moved{};
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const Iterator& it = block.body->iterators[k];
    const std::int64_t extent = it.extent();
    Side side = wanted[k] ? *wanted[k] : Side{cx.number(0), {0, extent - 1}};
    const bool stands = side.base->range.is_single();
    if (stands) {
      const std::int64_t base = side.base->range.lo;
      side = {cx.number(0),
              {std::max<std::int64_t>(side.range.lo + base, 0),
               std::min(side.range.hi + base, extent - 1)}};
    }
    std::int64_t size = side.range.hi - side.range.lo + 1;
    if (size < 1 || size >= extent) {
      side = {cx.number(0), {0, extent - 1}};
      size = extent;
    }
    Expr binding = plus(cx, side.base, cx.number(side.range.lo));
    if (size > 1) {
      loops.push_back(fresh.axis(expr::name_of(it.axis), size));
      moved.loops.emplace_back(expr::name_of(loops.back()));
      binding = plus(cx, binding, loops.back());
    }
    bindings.push_back(binding);
    const std::int64_t far = expr::Interval::kInfinity / 4;
    if (stays_within(cx, binding, 0, far, {}).proof != Proof::Yes) {
      predicate = expr::logical_and(cx.indices(), predicate,
                                    expr::less_equal(cx.indices(), cx.number(0), binding));
    }
    if (stays_within(cx, binding, -far, extent, {}).proof != Proof::Yes) {
      predicate = expr::logical_and(cx.indices(), predicate,
                                    expr::less(cx.indices(), binding, cx.number(extent)));
    }
  }
  predicate = tidy(cx, predicate);
  moved.nest =
      nest(cx, loops, cx.block(block.name, block.body, bindings, predicate, block.annotations));
  return moved;
}

// Moves a block to its wanted points, before or after the statement of `loop` that holds the other
// block.
enum class Where : std::uint8_t { Before, After };
Applied move(Context& cx, const Program& program, const Block& block, const Wanted& wanted,
             std::string_view loop, Where where, std::string_view other) {
  const Program rest = without(cx, program, &block);
  Moved moved = over_wanted(cx, rest, block, wanted);
  const std::vector<Site> sites = sites_of(rest);
  Stmt there = child_with(rest, find_loop(rest, loop), *find_site(sites, other));
  return {where == Where::Before ? insert_before(cx, rest, there, moved.nest)
                                 : insert_after(cx, rest, there, moved.nest),
          std::move(moved.loops)};
}

}  // namespace

Result<Applied> ComputeAt::apply(Context& cx, const Program& program) const {
  const std::vector<Site> sites = sites_of(program);
  CAMBIUM_TRY(const Block* from, block_named(program, block));
  CAMBIUM_TRY(const Loop* at, loop_named(program, loop));
  const Body& body = *from->body;
  const std::string target(body.target->name);
  if (body.target->role != Role::Local) {
    return Rejection(Reason::NotLocal, target, "it is a parameter");
  }
  if (writers_of(sites, body.target).size() != 1) {
    return Rejection(Reason::NotLocal, target, "other blocks write it too");
  }
  const std::vector<std::size_t> readers = readers_of(sites, body.target);
  if (readers.empty()) return Rejection(Reason::NotConsumer, block, "no block reads its result");
  for (const Buffer* buffer : body.buffers) {
    // What it reads must still be the same when it comes later.
    if (written_between(sites, buffer, site_of(sites, from).order, sites.size(), from)) {
      return Rejection(Reason::ChangesOrder, block,
                       "'" + std::string(buffer->name) + "' is written after it");
    }
  }
  Wanted wanted(body.iterators.size());
  bool is_first = true;
  for (const std::size_t r : readers) {
    const std::string name(sites[r].block->name);
    if (!sites[r].is_under(at)) return Rejection(Reason::NotAround, loop, name);
    for (const Access& access : accesses_of(cx, *sites[r].block->body)) {
      if (access.buffer != body.target) continue;
      const auto point = point_at(cx, body.iterators, body.indices, access.indices);
      if (!point || !is_that_point(cx, body.indices, site_of(sites, from), *point, sites[r]) ||
          !add_points(cx, wanted, sites[r], *point, at, is_first)) {
        return Rejection(Reason::NotABox, name, target);
      }
      is_first = false;
    }
  }
  const Site& reader = sites[readers.front()];
  if (!keep_untold(cx, wanted, site_of(sites, from), reader, at)) {
    return Rejection(Reason::NotABox, block, target);
  }
  Applied applied = move(cx, program, *from, wanted, loop, Where::Before, reader.block->name);
  applied.program = shrink(cx, applied.program, body.target);
  CAMBIUM_REQUIRE(check(cx, applied.program, Stage::Scheduled));
  return applied;
}

namespace {

// Whether a loop, or one around it, feeds the reduction of a block; the loop that does.
const Loop* splits_reduction(const Site& site, const Loop* loop) {
  for (const Loop* around : site.loops) {
    if (feeds_of(*around, *site.block).reduce) return around;
    if (around == loop) break;
  }
  return nullptr;
}

Rejection splits(const Loop* loop, const Site& site) {
  return Rejection(Reason::SplitsReduction, std::string(loop->name()),
                   std::string(site.block->name));
}

// What one iteration of `loop` completes for a consumer, and the last block that it waits for.
struct Ready {
  Wanted wanted;
  const Site* last = nullptr;
};
Result<Ready> ready_points(Context& cx, std::span<const Site> sites, const Site& consumer,
                           const Loop* loop) {
  const Body& body = *consumer.block->body;
  Ready ready{Wanted(body.iterators.size())};
  const std::size_t first = std::find_if(sites.begin(), sites.end(), [&](const Site& site) {
                              return site.is_under(loop);
                            })->order;
  for (const Access& access : accesses_of(cx, body)) {
    if (access.kind != Access::Kind::Read) continue;
    for (const std::size_t w : writers_of(sites, access.buffer)) {
      const Site& writer = sites[w];
      if (writer.block == consumer.block) continue;
      if (!writer.is_under(loop)) {
        if (writer.order < first) continue;
        return Rejection(Reason::ReadBeforeWrite, std::string(consumer.block->name),
                         std::string(access.buffer->name));
      }
      if (const Loop* reduces = splits_reduction(writer, loop)) return splits(reduces, writer);
      const auto point = point_at(cx, body.iterators, access.indices, writer.block->body->indices);
      const Wanted before = ready.wanted;
      const Rejection no_box(Reason::NotABox, std::string(consumer.block->name),
                             std::string(access.buffer->name));
      if (!point || !is_that_point(cx, access.indices, consumer, *point, writer) ||
          !add_points(cx, ready.wanted, writer, *point, loop, true)) {
        return no_box;
      }
      for (std::size_t k = 0; k < before.size(); ++k) {
        // Several that it reads must be complete at the same points.
        if (before[k] && ready.wanted[k] &&
            !(united(cx, *before[k], *ready.wanted[k]) == before[k])) {
          return no_box;
        }
      }
      if (ready.last == nullptr || writer.order > ready.last->order) ready.last = &writer;
    }
  }
  return ready;
}

}  // namespace

Result<Applied> ReverseComputeAt::apply(Context& cx, const Program& program) const {
  const std::vector<Site> sites = sites_of(program);
  CAMBIUM_TRY(const Block* to, block_named(program, block));
  CAMBIUM_TRY(const Loop* at, loop_named(program, loop));
  const Site& consumer = site_of(sites, to);
  CAMBIUM_TRY(Ready ready, ready_points(cx, sites, consumer, at));
  if (ready.last == nullptr) {
    return Rejection(Reason::NotConsumer, block,
                     "it reads nothing that is computed in '" + loop + "'");
  }
  if (consumer.is_under(at)) return Rejection(Reason::NotAround, loop, block);
  const auto first =
      std::find_if(sites.begin(), sites.end(), [&](const Site& site) { return site.is_under(at); });
  if (used_between(sites, to->body->target, first->order, consumer.order, to)) {
    return Rejection(Reason::ChangesOrder, block,
                     "'" + std::string(to->body->target->name) + "' is used before it");
  }
  for (std::size_t k = 0; k < ready.wanted.size(); ++k) {
    const Iterator& it = to->body->iterators[k];
    if (it.kind == IteratorKind::Spatial || !ready.wanted[k]) continue;
    const Side& side = *ready.wanted[k];
    const bool is_whole = side.base->range.is_single() &&
                          side.base->range.lo + side.range.lo <= 0 &&
                          side.base->range.lo + side.range.hi >= it.extent() - 1;
    if (!is_whole) return splits(at, consumer);
  }
  if (!keep_untold(cx, ready.wanted, consumer, *ready.last, at)) {
    return Rejection(Reason::NotABox, block, std::string(to->body->target->name));
  }
  Applied applied =
      move(cx, program, *to, ready.wanted, loop, Where::After, ready.last->block->name);
  for (const Buffer* buffer : to->body->buffers) {
    if (buffer != to->body->target) applied.program = shrink(cx, applied.program, buffer);
  }
  CAMBIUM_REQUIRE(check(cx, applied.program, Stage::Scheduled));
  return applied;
}

}  // namespace cambium::schedule

#include "schedule/steps/partition.h"

#include <algorithm>

#include "program/analysis.h"
#include "program/region.h"
#include "schedule/steps/rebuild.h"
#include "schedule/steps/trim.h"

namespace cambium::schedule {
namespace {

Status require_points(const Loop& loop, const Ints& points) {
  const auto refuse = [&](const char* why) {
    return Rejection(Reason::BadFactors, "partition of '" + std::string(loop.name()) + "'", why);
  };
  if (points.empty()) return refuse("no point is given");
  std::int64_t last = 0;
  for (const std::int64_t point : points) {
    if (point <= last) return refuse("the points must be positive and increasing");
    last = point;
  }
  if (last >= loop.extent()) return refuse("a point must be below the extent");
  return Ok{};
}

Status require_parts(const std::vector<Site>& sites, const Loop& loop) {
  for (const Site& site : sites) {
    if (!site.is_under(&loop) || site.block->body->init == nullptr) continue;
    if (program::feeds_of(loop, *site.block).reduce) {
      return Rejection(Reason::SplitsReduction, std::string(loop.name()),
                       std::string(site.block->name));
    }
  }
  return Ok{};
}

// Locals that live in one iteration: each piece has its own.
std::vector<const Buffer*> private_locals(const Program& program, const std::vector<Site>& sites,
                                          const Loop& loop) {
  std::vector<const Buffer*> found;
  for (const Buffer* local : program.locals) {
    const Loop* home = program::home_of(sites, local);
    if (home == nullptr) continue;
    const bool lives_inside = std::any_of(sites.begin(), sites.end(), [&](const Site& site) {
      const auto outer = std::find(site.loops.begin(), site.loops.end(), &loop);
      return outer != site.loops.end() &&
             std::find(outer, site.loops.end(), home) != site.loops.end();
    });
    if (lives_inside) found.push_back(local);
  }
  return found;
}

// Whether every local that is read is filled.
Status require_filled(const Program& program) {
  const std::vector<Site> sites = program::sites_of(program);
  for (const Buffer* local : program.locals) {
    const auto readers = program::readers_of(sites, local);
    if (readers.empty() || !program::writers_of(sites, local).empty()) continue;
    return Rejection(Reason::ReadBeforeWrite, std::string(sites[readers[0]].block->name),
                     std::string(local->name));
  }
  return Ok{};
}

}  // namespace

Result<Applied> Partition::apply(Context& cx, const Program& program) const {
  CAMBIUM_TRY(const Loop* found, loop_named(program, loop));
  const bool at_once =
      found->how != program::LoopKind::Serial && found->how != program::LoopKind::Parallel;
  if (at_once) return Rejection(Reason::LoopNotPlain, loop);
  CAMBIUM_REQUIRE(require_points(*found, points));
  const std::vector<Site> sites = program::sites_of(program);
  CAMBIUM_REQUIRE(require_parts(sites, *found));

  const std::vector<const Buffer*> own = private_locals(program, sites, *found);
  std::vector<const Buffer*> read = read_locals(program);
  std::vector<const Buffer*> locals(program.locals.begin(), program.locals.end());
  Fresh fresh(cx, program);
  Applied applied;
  std::vector<Stmt> pieces;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i <= points.size(); ++i) {
    const std::int64_t end = i < points.size() ? points[i] : found->extent();
    Expr axis = i == 0 ? cx.axis(loop, end - begin) : fresh.axis(loop, end - begin);
    Mapping mapping;
    mapping.axes.push_back({found->axis, expr::add(cx.indices(), axis, cx.number(begin))});
    Stmt body = nullptr;
    if (i == 0) {
      body = rebound(cx, found->body, mapping.axes);
    } else {
      for (const Buffer* local : own) {
        const Buffer* copy = cx.buffer(fresh.buffer(local->name), local->dtype, local->dims,
                                       local->role, local->annotations);
        locals.push_back(copy);
        read.push_back(copy);
        mapping.buffers.emplace(local, copy);
      }
      body = copied(cx, fresh, found->body, mapping);
    }
    // Only what is inside gets shorter: the pieces are as long as was asked.
    body = trimmed(cx, body);
    begin = end;
    if (is_nothing(body)) continue;
    pieces.push_back(cx.loop(axis, found->how, body, found->annotations));
    applied.made.emplace_back(expr::name_of(axis));
  }
  if (pieces.empty()) {
    return Rejection(Reason::BadFactors, "partition of '" + loop + "'",
                     "no block runs inside the loop");
  }
  applied.program = program::replace(cx, program, found, cx.seq(pieces));
  applied.program.locals = cx.keep(locals);
  applied.program = without_unread(cx, applied.program, read);
  CAMBIUM_REQUIRE(require_filled(applied.program));
  applied.made.erase(std::remove_if(applied.made.begin(), applied.made.end(),
                                    [&](const std::string& name) {
                                      return program::find_loop(applied.program, name) == nullptr;
                                    }),
                     applied.made.end());

  const bool reduces = std::any_of(sites.begin(), sites.end(), [&](const Site& site) {
    return site.is_under(found) && program::feeds_of(*found, *site.block).reduce;
  });
  if (reduces && !holds(cx, applied.program, {program::reductions_complete}).ok()) {
    return Rejection(Reason::SplitsReduction, loop, "inside it");
  }
  // What is read by fewer blocks lives elsewhere.
  CAMBIUM_REQUIRE(
      holds(cx, applied.program,
            {program::points_once, program::writes_apart, program::reads_after_writes}));
  CAMBIUM_REQUIRE(stays_apart(cx, program, found, applied.program));
  return applied;
}

}  // namespace cambium::schedule

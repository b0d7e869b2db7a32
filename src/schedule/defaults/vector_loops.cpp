// Loops of a block that nothing else tiles: neighbours in memory become lanes of vectors, and loops
// that together walk over memory without a gap become one, so that short dimensions cost nothing.
#include <algorithm>

#include "schedule/defaults/kinds_of_work.h"
#include "schedule/defaults/sites.h"

namespace cambium::schedule {

using program::Expr;
using program::Loop;
using program::Site;

namespace {

constexpr std::int64_t kFarApart = 64;  // elements

// Points below which threads cost more than they do.
constexpr std::int64_t kParallelWork = 1 << 17;

// Loops directly around the block and around nothing else, innermost first.
std::vector<const Loop*> private_loops(const Site& site) {
  std::vector<const Loop*> loops;
  program::Stmt inner = site.block;
  for (auto it = site.loops.rbegin(); it != site.loops.rend(); ++it) {
    if ((*it)->body != inner || (*it)->how != program::LoopKind::Serial) break;
    loops.push_back(*it);
    inner = *it;
  }
  return loops;
}

// Whether every access of the block moves by a fixed distance along the loop.
bool is_even(Context& cx, const Site& site, Expr axis) {
  for (const program::Access& access : program::accesses_of(cx, *site.block->body)) {
    const auto indices = program::over_loops(cx, *site.block, access.indices);
    if (access.scalar != nullptr && access.scalar->kind == program::ScalarKind::Gather) continue;
    if (!program::stride_of(*access.buffer, indices, axis)) return false;
    for (Expr guard : access.guards) {
      if (program::uses(program::over_loops(cx, *site.block, guard), axis)) return false;
    }
  }
  return true;
}

bool is_spatial(const Site& site, const Loop& loop) {
  return !program::feeds_of(loop, *site.block).reduce;
}

const Loop* loop_of_neighbours(Context& cx, const Site& site, const std::vector<const Loop*>& loops,
                               const program::Buffer& buffer, std::span<const Expr> at) {
  const auto indices = program::over_loops(cx, *site.block, at);
  for (const Loop* loop : loops) {
    if (loop->extent() > 1 && is_spatial(site, *loop) &&
        program::stride_of(buffer, indices, loop->axis) == 1) {
      return loop;
    }
  }
  return nullptr;
}

// The loop along which the target moves by one element. Of a transposition, the loop along which
// the source does: lanes stored one by one into a near cache cost less than lanes that are far
// apart and evict each other.
const Loop* lane_loop(Context& cx, const Site& site, const std::vector<const Loop*>& loops) {
  const program::Body& body = *site.block->body;
  const Loop* stored = loop_of_neighbours(cx, site, loops, *body.target, body.indices);
  if (body.value->kind == program::ScalarKind::Load && stored != nullptr) {
    const program::Buffer& from = *body.value->buffer;
    const auto at = program::over_loops(cx, *site.block, body.value->indices);
    const auto apart = program::stride_of(from, at, stored->axis);
    if (apart && *apart >= kFarApart) {
      if (const Loop* read = loop_of_neighbours(cx, site, loops, from, body.value->indices)) {
        return read;
      }
    }
  }
  return stored;
}

// Fuses the loop with the one around it as long as memory is walked evenly.
std::string fuse_outward(Schedule& s, const std::string& block, std::string lanes) {
  while (true) {
    const Site site = site_of(s.program(), block);
    const auto loops = private_loops(site);
    const auto here = std::find_if(loops.begin(), loops.end(),
                                   [&](const Loop* loop) { return loop->name() == lanes; });
    if (here == loops.end() || here + 1 == loops.end()) return lanes;
    const Loop* outer = *(here + 1);
    if (!is_spatial(site, *outer)) return lanes;
    Schedule trial = s;
    const auto fused = trial.apply(Fuse{{std::string(outer->name()), lanes}});
    if (!fused.ok()) return lanes;
    const Site then = site_of(trial.program(), block);
    const Loop* loop = program::find_loop(trial.program(), (*fused)[0]);
    if (!is_even(trial.context(), then, loop->axis)) return lanes;
    s = trial;
    lanes = (*fused)[0];
  }
}

}  // namespace

Status vectorize_loops(Schedule& s, const std::string& block, const Machine& machine) {
  Context& cx = s.context();
  const Site site = site_of(s.program(), block);
  const auto loops = private_loops(site);
  const Loop* lane = lane_loop(cx, site, loops);
  if (lane == nullptr) return Rejection(Reason::NotElementwise, block, "no loop has lanes");
  std::string lanes(lane->name());

  Schedule trial = s;
  if (loops.front() != lane) {
    Names order;
    for (auto it = loops.rbegin(); it != loops.rend(); ++it) {
      if (*it != lane) order.emplace_back((*it)->name());
    }
    order.push_back(lanes);
    CAMBIUM_REQUIRE(trial.apply(Reorder{order}));
  }
  lanes = fuse_outward(trial, block, lanes);

  const std::int64_t element =
      static_cast<std::int64_t>(size_of(program::value_type(site.block->body->target->dtype)));
  const std::int64_t wide = machine.lanes(std::max<std::int64_t>(element, 1));
  const std::int64_t extent = program::find_loop(trial.program(), lanes)->extent();
  if (extent > wide) {
    CAMBIUM_TRY(const Names made, trial.apply(Split{lanes, {0, wide}, Tail::Guard}));
    CAMBIUM_REQUIRE(trial.apply(Vectorize{made[1]}));
    if (extent % wide != 0 && extent > 2 * wide) {
      CAMBIUM_REQUIRE(trial.apply(Partition{made[0], {extent / wide}}));
    }
  } else {
    CAMBIUM_REQUIRE(trial.apply(Vectorize{lanes}));
  }
  s = trial;
  return Ok{};
}

void run_in_parallel(Schedule& s, const std::string& block, const Machine& machine) {
  const Site site = site_of(s.program(), block);
  if (work_of(site) < kParallelWork) return;
  // The outermost loop that gives every core its share, or else the longest.
  const Loop* best = nullptr;
  for (const Loop* loop : site.loops) {
    if (loop->how == program::LoopKind::Parallel) return;
    if (loop->how != program::LoopKind::Serial || !is_spatial(site, *loop)) break;
    if (best == nullptr || loop->extent() > best->extent()) best = loop;
    if (best->extent() >= 2 * machine.cores) break;
  }
  if (best == nullptr || best->extent() < 2) return;
  static_cast<void>(s.apply(Parallel{std::string(best->name())}));
}

}  // namespace cambium::schedule

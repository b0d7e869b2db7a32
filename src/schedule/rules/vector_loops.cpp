// Loops of a block that nothing else tiles: neighbours in memory become lanes of vectors, and loops
// that together walk over memory without a gap become one, so that short dimensions cost nothing.
#include <algorithm>

#include "schedule/rules/kernel_rules.h"
#include "schedule/rules/sites.h"

namespace cambium::schedule {

using program::Expr;
using program::Loop;
using program::Site;

namespace {

constexpr std::int64_t kFarApart = 64;  // elements

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
std::string fuse_outward(Draft& draft, const std::string& block, std::string lanes) {
  while (true) {
    const Site site = site_of(draft, block);
    const auto loops = private_loops(site);
    const auto here = std::find_if(loops.begin(), loops.end(),
                                   [&](const Loop* loop) { return loop->name() == lanes; });
    if (here == loops.end() || here + 1 == loops.end()) return lanes;
    const Loop* outer = *(here + 1);
    if (!is_spatial(site, *outer)) return lanes;
    const auto before = draft.schedule().mark();
    const auto fused = draft.apply(Fuse{{std::string(outer->name()), lanes}});
    if (!fused.ok()) return lanes;
    const Site then = site_of(draft, block);
    const Loop* loop = program::find_loop(draft.program(), (*fused)[0]);
    if (!is_even(draft.context(), then, loop->axis)) {
      draft.schedule().back_to(before);
      return lanes;
    }
    lanes = (*fused)[0];
  }
}

// Several vectors in a row, where that leaves whole rounds: how many.
Result<std::int64_t> unroll_vectors(Draft& draft, const std::string& loop) {
  const std::int64_t extent = program::find_loop(draft.program(), loop)->extent();
  Ints rounds{1};
  for (const std::int64_t n : {2, 4}) {
    if (extent > n) rounds.push_back(n);
  }
  if (rounds.size() == 1) return 1;
  const std::int64_t chosen = draft.choose_number("vectors", rounds, 0);
  if (chosen == 1) return 1;
  CAMBIUM_REQUIRE(draft.apply(Annotate{Part::Loop, loop, "unroll", "", chosen}));
  return chosen;
}

// Iterations of the loop from a row to the next of an input that comes from memory, and of which
// another block has read this row before. Memory rests then while the block works on what is near.
// 0: the program has no input at this position.
std::int64_t iterations_to_next_row(const Draft& draft, Context& cx, const std::string& block,
                                    const std::string& name) {
  const Site site = site_of(draft, block);
  const auto loop = std::find_if(site.loops.begin(), site.loops.end(),
                                 [&](const Loop* each) { return each->name() == name; });
  if (loop == site.loops.begin() || loop == site.loops.end()) return 0;
  const Loop* around = *(loop - 1);
  if (around->extent() == 1) return 0;
  const std::vector<Site> sites = program::sites_of(draft.program());
  for (const program::Access& access : program::accesses_of(cx, *site.block->body)) {
    const program::Buffer* buffer = access.buffer;
    if (access.kind != program::Access::Kind::Read || access.indices.empty() ||
        buffer->role != program::Role::Input ||
        buffer->elements() * size_of(buffer->dtype) <= draft.machine().l2_bytes) {
      continue;
    }
    const bool is_near = std::any_of(sites.begin(), sites.end(), [&](const Site& other) {
      const auto& used = other.block->body->buffers;
      return other.order < site.order && other.is_under(around) &&
             std::find(used.begin(), used.end(), buffer) != used.end();
    });
    const auto at = program::over_loops(cx, *site.block, access.indices);
    const auto step = program::stride_of(*buffer, at, (*loop)->axis);
    const auto row = program::stride_of(*buffer, at, around->axis);
    if (is_near && step && row && *step > 0 && *row >= *step * (*loop)->extent()) {
      return (*row + *step - 1) / *step;
    }
  }
  return 0;
}

// The next row is asked for while this one is worked on.
Status fetch_next_row(Draft& draft, const std::string& block, const std::string& loop,
                      std::int64_t copies) {
  const std::int64_t ahead = iterations_to_next_row(draft, draft.context(), block, loop);
  if (ahead == 0) return Ok{};
  if (draft.choose("prefetch", {"nothing", "next row"}, 1, {1, 2}) == 0) return Ok{};
  CAMBIUM_REQUIRE(draft.apply(Prefetch{block, (ahead + copies - 1) / copies}));
  return Ok{};
}

}  // namespace

Status vectorize_loops(Draft& draft, const std::string& block) {
  const auto leave = [](const char* why) {
    return Rejection(Reason::NothingToDo, "vector-loops", why);
  };
  Context& cx = draft.context();
  const Site site = site_of(draft, block);
  if (is_vectorized(site)) return leave("it has lanes");
  const auto loops = private_loops(site);
  const Loop* lane = lane_loop(cx, site, loops);
  if (lane == nullptr) return leave("no loop has lanes");
  std::string lanes(lane->name());
  if (loops.front() != lane) {
    Names order;
    for (auto it = loops.rbegin(); it != loops.rend(); ++it) {
      if (*it != lane) order.emplace_back((*it)->name());
    }
    order.push_back(lanes);
    CAMBIUM_REQUIRE(draft.apply(Reorder{order}));
  }
  lanes = fuse_outward(draft, block, lanes);

  const std::int64_t element =
      static_cast<std::int64_t>(size_of(program::value_type(site.block->body->target->dtype)));
  const std::int64_t wide = draft.machine().lanes(std::max<std::int64_t>(element, 1));
  const std::int64_t extent = program::find_loop(draft.program(), lanes)->extent();
  if (extent <= wide) {
    CAMBIUM_REQUIRE(draft.apply(Vectorize{lanes}));
    return Ok{};
  }
  CAMBIUM_TRY(const Names made, draft.apply(Split{lanes, {0, wide}, Tail::Guard}));
  CAMBIUM_REQUIRE(draft.apply(Vectorize{made[1]}));
  if (extent % wide != 0 && extent > 2 * wide) {
    CAMBIUM_REQUIRE(draft.apply(Partition{made[0], {extent / wide}}));
  }
  CAMBIUM_TRY(const std::int64_t copies, unroll_vectors(draft, made[0]));
  return fetch_next_row(draft, block, made[0], copies);
}

}  // namespace cambium::schedule

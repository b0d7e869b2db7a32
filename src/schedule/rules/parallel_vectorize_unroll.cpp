#include "schedule/rules/parallel_vectorize_unroll.h"

#include <algorithm>

#include "expr/simplify.h"
#include "schedule/rules/kernel_rules.h"
#include "schedule/rules/sites.h"

namespace cambium::schedule {

using program::Access;
using program::Buffer;
using program::Expr;
using program::Loop;
using program::LoopKind;
using program::Site;

namespace {

constexpr std::int64_t kWorking = 4;  // registers that are not for accumulators

Rejection leave_loops(const char* why) {
  return Rejection(Reason::NothingToDo, "parallel-vectorize-unroll", why);
}

bool is_written_out(const Loop& loop) {
  return loop.how == LoopKind::Unrolled || loop.how == LoopKind::Vectorized || loop.extent() == 1;
}

std::int64_t copies_of(const Loop& loop, const Machine& machine) {
  if (loop.how != LoopKind::Vectorized) return loop.extent();
  return (loop.extent() + machine.lanes() - 1) / machine.lanes();
}

// The innermost loops, as long as they are spatial and hold nothing but the block; innermost first.
std::vector<const Loop*> trailing_spatial(const Site& site) {
  std::vector<const Loop*> loops;
  program::Stmt inner = site.block;
  for (auto it = site.loops.rbegin(); it != site.loops.rend(); ++it) {
    const Loop& loop = **it;
    if (loop.body != inner || loop.how != LoopKind::Serial || !loop.annotations.empty()) break;
    if (program::feeds_of(loop, *site.block).reduce) break;
    loops.push_back(&loop);
    inner = &loop;
  }
  return loops;
}

// Whether the loop moves the result by one element, and what is read by one or not at all.
bool walks_without_gaps(Context& cx, const Site& site, const Loop& loop) {
  for (const Access& access : program::accesses_of(cx, *site.block->body)) {
    if (access.scalar != nullptr && access.scalar->kind == program::ScalarKind::Gather)
      return false;
    // A write cache is indexed modulo its tile, which only simplified says that lanes are
    // neighbours.
    auto at = program::over_loops(cx, *site.block, access.indices);
    for (Expr& index : at) index = expr::simplify(cx.indices(), index);
    const auto stride = program::stride_of(*access.buffer, at, loop.axis);
    const bool is_written = access.kind != Access::Kind::Read;
    if (!stride || (*stride != 1 && (is_written || *stride != 0))) return false;
  }
  return true;
}

Status vectorize_innermost(Draft& draft, const std::string& block, std::int64_t lanes) {
  const Site site = site_of(draft, block);
  const auto loops = trailing_spatial(site);
  for (const Loop* loop : loops) {
    if (loop->extent() == 1 || loop->extent() > lanes ||
        !walks_without_gaps(draft.context(), site, *loop)) {
      continue;
    }
    const std::string name(loop->name());
    Names order;
    for (auto it = loops.rbegin(); it != loops.rend(); ++it) {
      if (*it != loop) order.emplace_back((*it)->name());
    }
    order.push_back(name);
    if (loop != loops.front()) CAMBIUM_REQUIRE(draft.apply(Reorder{order}));
    CAMBIUM_REQUIRE(draft.apply(Vectorize{name}));
    return Ok{};
  }
  return leave_loops("no loop has lanes");
}

// The local that a reduction collects its results in, if it is small enough for registers.
const Buffer* cache_of(const Draft& draft, const Site& site) {
  const Buffer* target = site.block->body->target;
  const std::int64_t room = (draft.machine().vector_registers - kWorking) * draft.machine().lanes();
  const bool fits = target->role == program::Role::Local && target->elements() <= room &&
                    program::home_of(program::sites_of(draft.program()), target) != nullptr;
  return fits ? target : nullptr;
}

// Whether the block reads what a reduction in the same nest collects for registers.
bool takes_a_tile(const Draft& draft, const std::string& block) {
  const Site site = site_of(draft, block);
  for (const Site& other : program::sites_of(draft.program())) {
    const auto& read = site.block->body->buffers;
    const Buffer* target = other.block->body->target;
    if (is_reduction(*other.block->body) && target != site.block->body->target &&
        std::find(read.begin(), read.end(), target) != read.end()) {
      return cache_of(draft, other) != nullptr;
    }
  }
  return false;
}

// From the innermost loop outwards, while there are no more copies than the budget has. Around a
// cache for registers, loops of the reduction that are too long are passed over: what matters is
// that its places are known.
void unroll_reduction(Draft& draft, const std::string& block, std::int64_t budget) {
  const Site site = site_of(draft, block);
  const bool passes_over = cache_of(draft, site) != nullptr;
  std::int64_t copies = 1;
  program::Stmt inner = site.block;
  for (auto it = site.loops.rbegin(); it != site.loops.rend(); ++it) {
    const Loop& loop = **it;
    if (loop.body != inner) return;
    inner = &loop;
    if (loop.extent() == 1) continue;
    const std::int64_t more = copies * copies_of(loop, draft.machine());
    if (loop.how == LoopKind::Vectorized ||
        (more <= budget && draft.apply(Unroll{std::string(loop.name())}).ok())) {
      copies = more;
    } else if (!passes_over || !program::feeds_of(loop, *site.block).reduce) {
      return;
    }
  }
}

// The local of a tile goes into registers if all its places are known, once what reads it is
// unrolled too.
Status keep_in_registers(Draft& draft, const std::string& block) {
  const Buffer* cache = cache_of(draft, site_of(draft, block));
  if (cache == nullptr) return leave_loops("it has no cached copy to keep in registers");
  const std::vector<Site> sites = program::sites_of(draft.program());
  const Loop* home = program::home_of(sites, cache);
  Names written_out;
  for (const Site& site : sites) {
    const auto& used = site.block->body->buffers;
    if (std::find(used.begin(), used.end(), cache) == used.end()) continue;
    const auto at_home = std::find(site.loops.begin(), site.loops.end(), home);
    if (at_home == site.loops.end()) return leave_loops("its cache is used elsewhere");
    for (auto loop = at_home + 1; loop != site.loops.end(); ++loop) {
      if (is_written_out(**loop)) continue;
      const bool reduces = program::feeds_of(**loop, *site.block).reduce;
      const bool fills = site.block->body->target == cache;
      if (fills && reduces) continue;  // it stays at its place meanwhile
      if (fills || reduces) return leave_loops("its positions in the cache are not known");
      const std::string open((*loop)->name());
      if (std::find(written_out.begin(), written_out.end(), open) == written_out.end()) {
        written_out.push_back(open);
      }
    }
  }
  const std::string name(cache->name);
  for (const std::string& loop : written_out) CAMBIUM_REQUIRE(draft.apply(Unroll{loop}));
  CAMBIUM_REQUIRE(draft.apply(Annotate{Part::Buffer, name, "space", "register", 0}));
  return Ok{};
}

// Loops from the outermost of several iterations on that may run at once and stand directly within
// each other.
std::vector<const Loop*> leading_spatial(const Program& program, const Site& site) {
  const std::vector<Site> sites = program::sites_of(program);
  std::vector<const Loop*> loops;
  for (const Loop* loop : site.loops) {
    const bool is_next = loops.empty() || loops.back()->body == loop;
    const bool reduces = std::any_of(sites.begin(), sites.end(), [&](const Site& other) {
      return other.is_under(loop) && program::feeds_of(*loop, *other.block).reduce;
    });
    if (!is_next || reduces || loop->how != LoopKind::Serial || !loop->annotations.empty()) break;
    if (!loops.empty() || loop->extent() > 1) loops.push_back(loop);
  }
  return loops;
}

// Fuses the first loops into one that threads share.
Status share(Draft& draft, const Names& loops, std::int64_t most) {
  std::string shared = loops.front();
  if (loops.size() > 1) {
    CAMBIUM_TRY(const Names made, draft.apply(Fuse{loops}));
    shared = made[0];
  }
  CAMBIUM_REQUIRE(draft.apply(Parallel{shared}));
  const std::int64_t extent = program::find_loop(draft.program(), shared)->extent();
  if (extent <= most) return Ok{};
  const std::int64_t grain = (extent + most - 1) / most;
  CAMBIUM_REQUIRE(draft.apply(Annotate{Part::Loop, shared, "grain", "", grain}));
  return Ok{};
}

// As many loops as give no more chunks than `most`, or fewer.
Status parallelize(Draft& draft, const std::string& block, std::int64_t most) {
  const Site site = site_of(draft, block);
  Ints counts, weights;
  Names names;
  std::int64_t chunks = 1;
  for (const Loop* loop : leading_spatial(draft.program(), site)) {
    names.emplace_back(loop->name());
    if (loop->extent() == 1) continue;
    if (!counts.empty() && chunks * loop->extent() > most) break;
    chunks *= loop->extent();
    counts.push_back(static_cast<std::int64_t>(names.size()));
    weights.push_back(1);
  }
  if (counts.empty()) return leave_loops("no loop can be shared");
  weights.back() = 4;
  std::int64_t count = counts[0];
  if (counts.size() > 1) {
    count = draft.choose_number("shared loops", counts, counts.size() - 1, weights);
  }
  const auto before = draft.schedule().mark();
  names.resize(static_cast<std::size_t>(count));
  if (share(draft, names, most).ok()) return Ok{};
  draft.schedule().back_to(before);
  return share(draft, {names.back()}, most);
}

// Does it, or nothing.
template <class F>
bool attempt(Draft& draft, const F& f) {
  const auto before = draft.schedule().mark();
  if (f().ok()) return true;
  draft.schedule().back_to(before);
  return false;
}

Status kinds(Draft& draft, const std::string& block, const LoopKindsOptions& options) {
  const program::Body& body = *site_of(draft, block).block->body;
  if (is_made_at_load(program::sites_of(draft.program()), body.target)) {
    return leave_loops("it is made at load");
  }
  const auto in_vectors = [&] { return vectorize_innermost(draft, block, options.lanes); };
  bool done = is_reduction(body);
  if (done) {
    attempt(draft, in_vectors);
    const std::int64_t budget =
        draft.choose_number("unroll", options.unroll, options.unroll.size() - 1);
    if (budget > 0) {
      unroll_reduction(draft, block, budget);
      attempt(draft, [&] { return keep_in_registers(draft, block); });
    }
  } else {
    // What takes a tile elsewhere stays as the tile is, so that it can come out of registers.
    done = takes_a_tile(draft, block) && attempt(draft, in_vectors);
    done = done || attempt(draft, [&] { return vectorize_loops(draft, block); });
  }
  if (draft.threads() > 1 && program::find_block(draft.program(), block) != nullptr) {
    const std::int64_t most = options.chunks_per_thread * draft.threads();
    done |= attempt(draft, [&] { return parallelize(draft, block, most); });
  }
  if (done) return Ok{};
  return leave_loops("its loops stay as they are");
}

}  // namespace

Rule parallel_vectorize_unroll_rule(LoopKindsOptions options) {
  return {"parallel-vectorize-unroll",
          "vectorize and unroll inner loops, share outer loops among threads",
          [options = std::move(options)](Draft& draft, const std::string& block) {
            return kinds(draft, block, options);
          }};
}

}  // namespace cambium::schedule

#include "schedule/steps/fuse.h"

#include "program/analysis.h"
#include "schedule/steps/rebuild.h"

namespace cambium::schedule {
namespace {

// Whether a block would have a loop that moves its target and its reduction alike: little can be
// proved of such loops.
bool is_mixed(const Program& program, const std::vector<const Loop*>& chain) {
  for (const Site& site : program::sites_of(program)) {
    if (!site.is_under(chain.back())) continue;
    program::Feeds all;
    for (const Loop* loop : chain) {
      const program::Feeds feeds = program::feeds_of(*loop, *site.block);
      all.spatial = all.spatial || feeds.spatial;
      all.reduce = all.reduce || feeds.reduce;
    }
    if (all.spatial && all.reduce) return true;
  }
  return false;
}

}  // namespace

Result<Applied> Fuse::apply(Context& cx, const Program& program) const {
  if (loops.empty()) return Rejection(Reason::BadFactors, "fuse", "no loop is named");
  std::vector<const Loop*> chain;
  std::string name;
  std::int64_t extent = 1;
  for (const std::string& loop : loops) {
    CAMBIUM_TRY(const Loop* found, loop_named(program, loop));
    CAMBIUM_REQUIRE(require_plain(*found));
    if (!chain.empty() && chain.back()->body != found) {
      return Rejection(Reason::NotNested, std::string(chain.back()->name()), loop);
    }
    if (__builtin_mul_overflow(extent, found->extent(), &extent) || extent > kMostIterations) {
      return Rejection(Reason::TooLarge, "the fused loop", {}, kMostIterations, kMostIterations);
    }
    name += (name.empty() ? "" : ".") + loop;
    chain.push_back(found);
  }
  Fresh fresh(cx, program);
  Expr fused = fresh.axis(name, extent);
  Replacements axes;
  std::int64_t below = extent;  // iterations of the loops further in
  for (const Loop* loop : chain) {
    below /= loop->extent();
    Expr digit = expr::div(cx.indices(), fused, expr::Size(below));
    axes.push_back({loop->axis, expr::mod(cx.indices(), digit, expr::Size(loop->extent()))});
  }
  Stmt body = rebound(cx, chain.back()->body, axes);
  Stmt loop = cx.loop(fused, program::LoopKind::Serial, body);
  Applied applied{program::replace(cx, program, chain.front(), loop),
                  {std::string(expr::name_of(fused))}};
  if (is_mixed(program, chain)) {
    CAMBIUM_REQUIRE(holds(cx, applied.program,
                          {program::points_once, program::writes_apart,
                           program::reductions_complete, program::reads_after_writes}));
  }
  CAMBIUM_REQUIRE(stays_apart(cx, program, chain.front(), applied.program));
  return applied;
}

}  // namespace cambium::schedule

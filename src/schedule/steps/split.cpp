#include "schedule/steps/split.h"

#include <algorithm>

#include "program/analysis.h"
#include "schedule/steps/partition.h"
#include "schedule/steps/rebuild.h"
#include "schedule/steps/trim.h"

namespace cambium::schedule {
namespace {

// The factors with the open one filled in. Refuses BadFactors.
Result<Ints> filled(const Ints& factors, const Loop& loop) {
  const auto refuse = [&](const char* why) {
    return Rejection(Reason::BadFactors, "split of '" + std::string(loop.name()) + "'", why);
  };
  if (factors.empty()) return refuse("no factor is given");
  if (std::any_of(factors.begin(), factors.end(), [](std::int64_t f) { return f < 0; })) {
    return refuse("a factor is negative");
  }
  if (std::count(factors.begin(), factors.end(), 0) > 1) return refuse("more than one factor is 0");
  std::int64_t known = 1;
  for (const std::int64_t f : factors) {
    if (f == 0) continue;
    if (__builtin_mul_overflow(known, f, &known) || known > kMostIterations) {
      return refuse("the factors are too large");
    }
  }
  Ints result = factors;
  const auto open = std::find(result.begin(), result.end(), 0);
  if (open != result.end()) {
    *open = (loop.extent() + known - 1) / known;
  } else if (known < loop.extent()) {
    return refuse("the factors do not cover the extent");
  }
  return result;
}

std::int64_t product(const Ints& factors) {
  std::int64_t all = 1;
  for (const std::int64_t f : factors) all *= f;
  return all;
}

// Blocks that know nothing of the loop and fill what lives in one of its iterations may run in
// iterations beyond its end: nobody sees it, and a guard would hide from proofs what they write.
bool needs_guard(const std::vector<Site>& sites, const Loop& loop, const Block& block) {
  const program::Feeds feeds = program::feeds_of(loop, block);
  if (feeds.spatial || feeds.reduce || program::uses(block.predicate, loop.axis)) return true;
  const Loop* home = program::home_of(sites, block.body->target);
  if (home == nullptr) return true;
  const Site& site = site_of(sites, &block);
  return std::find(site.loops.begin(), site.loops.end(), home) <
         std::find(site.loops.begin(), site.loops.end(), &loop);
}

Stmt guarded(Context& cx, Stmt s, const Replacements& axes, Expr guard,
             const std::vector<Site>& sites, const Loop& loop) {
  if (const Loop* inner = program::as_loop(s)) {
    return cx.loop(inner->axis, inner->how, guarded(cx, inner->body, axes, guard, sites, loop),
                   inner->annotations);
  }
  if (const program::Seq* seq = program::as_seq(s)) {
    std::vector<Stmt> children;
    for (Stmt child : seq->children) {
      children.push_back(guarded(cx, child, axes, guard, sites, loop));
    }
    return cx.seq(children);
  }
  const bool guards = needs_guard(sites, loop, *program::as_block(s));
  return rebound(cx, s, axes, guards ? guard : nullptr);
}

Result<Applied> split(Context& cx, const Program& program, const Loop& loop, const Ints& factors) {
  Fresh fresh(cx, program);
  std::vector<Expr> axes;
  Applied applied;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    axes.push_back(fresh.axis(std::string(loop.name()) + "." + std::to_string(i), factors[i]));
    applied.made.emplace_back(expr::name_of(axes.back()));
  }
  Expr sum = cx.number(0);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    sum = expr::add(cx.indices(), expr::mul(cx.indices(), sum, expr::Monomial::of(factors[i])),
                    axes[i]);
  }
  const Replacements whole = {{loop.axis, sum}};
  Stmt body = nullptr;
  if (product(factors) == loop.extent()) {
    body = rebound(cx, loop.body, whole);
  } else {
    Expr guard = expr::less(cx.indices(), sum, cx.number(loop.extent()));
    body = guarded(cx, loop.body, whole, guard, program::sites_of(program), loop);
  }
  for (std::size_t i = axes.size(); i-- > 0;) {
    body = cx.loop(axes[i], program::LoopKind::Serial, body);
  }
  applied.program = program::replace(cx, program, &loop, body);
  return applied;
}

// Whether something is made and used inside one iteration of the loop or of one around it, so that
// a guard could come between.
bool holds_producers(const std::vector<Site>& sites, const Loop& loop) {
  std::size_t inside = 0;
  for (const Site& site : sites) {
    if (!site.is_under(&loop)) continue;
    if (++inside > 1 || program::home_of(sites, site.block->body->target) != nullptr) return true;
  }
  return false;
}

Result<Applied> peel(Context& cx, Applied guarded, std::int64_t full) {
  const std::size_t made = guarded.made.size();
  if (full == 0) {  // all of it is rest
    Stmt whole = program::find_loop(guarded.program, guarded.made[0]);
    guarded.program = program::replace(cx, guarded.program, whole, trimmed(cx, whole));
    return guarded;
  }
  const Partition rest{guarded.made[0], {full}};
  CAMBIUM_TRY(Applied applied, rest.apply(cx, guarded.program));
  // In each piece the new loops stand directly inside each other.
  Names all;
  for (const std::string& piece : applied.made) {
    const Loop* inner = program::find_loop(applied.program, piece);
    for (std::size_t i = 0; i < made && inner != nullptr; ++i) {
      all.emplace_back(inner->name());
      inner = program::as_loop(inner->body);
    }
  }
  return Applied{applied.program, all};
}

}  // namespace

Result<Applied> Split::apply(Context& cx, const Program& program) const {
  CAMBIUM_TRY(const Loop* found, loop_named(program, loop));
  CAMBIUM_REQUIRE(require_plain(*found));
  CAMBIUM_TRY(const Ints all, filled(factors, *found));
  const std::int64_t covered = product(all);
  if (covered > kMostIterations) {
    return Rejection(Reason::BadFactors, "split of '" + loop + "'", "the factors are too large");
  }
  if (tail == Tail::Exact && covered != found->extent()) {
    const bool open = std::find(factors.begin(), factors.end(), 0) != factors.end();
    const std::int64_t by =
        open ? covered / all[static_cast<std::size_t>(std::find(factors.begin(), factors.end(), 0) -
                                                      factors.begin())]
             : covered;
    return Rejection(Reason::NotDivisible, loop, {}, found->extent(), by);
  }
  CAMBIUM_TRY(Applied applied, split(cx, program, *found, all));
  if (covered == found->extent()) return applied;
  if (holds_producers(program::sites_of(program), *found)) {
    CAMBIUM_REQUIRE(holds(cx, applied.program,
                          {program::points_once, program::writes_apart,
                           program::reductions_complete, program::reads_after_writes}));
  }
  CAMBIUM_REQUIRE(stays_apart(cx, program, found, applied.program));
  const std::int64_t full = found->extent() / (covered / all[0]);
  if (tail == Tail::Guard) return applied;
  return peel(cx, std::move(applied), full);
}

}  // namespace cambium::schedule

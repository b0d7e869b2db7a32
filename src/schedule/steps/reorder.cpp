#include "schedule/steps/reorder.h"

#include <algorithm>

#include "program/analysis.h"
#include "schedule/steps/rebuild.h"

namespace cambium::schedule {
namespace {

using program::LoopKind;

// The loops from the outermost to the innermost that are named, with those between.
Result<std::vector<const Loop*>> chain_of(const Program& program, const Names& names) {
  std::vector<const Loop*> named;
  for (const std::string& name : names) {
    CAMBIUM_TRY(const Loop* loop, loop_named(program, name));
    if (std::find(named.begin(), named.end(), loop) != named.end()) {
      return Rejection(Reason::NotNested, name, name);
    }
    named.push_back(loop);
  }
  std::vector<const Loop*> chain;
  for (const Loop* first : named) {  // the outermost is the one from which all others are reached
    chain.clear();
    std::size_t reached = 0;
    for (Stmt s = first; s->kind == program::StmtKind::Loop; s = chain.back()->body) {
      chain.push_back(program::as_loop(s));
      if (std::find(named.begin(), named.end(), chain.back()) != named.end()) ++reached;
      if (reached == named.size()) return chain;
    }
  }
  return Rejection(Reason::NotNested, names.empty() ? "" : names.front(),
                   names.empty() ? "" : names.back());
}

Stmt in_order(Context& cx, std::span<const Loop* const> order, Stmt body) {
  for (std::size_t i = order.size(); i-- > 0;) {
    body = cx.loop(order[i]->axis, order[i]->how, body, order[i]->annotations);
  }
  return body;
}

// The sites inside the chain.
std::vector<const Site*> inside(const std::vector<Site>& sites, const Loop* loop) {
  std::vector<const Site*> found;
  for (const Site& site : sites) {
    if (site.is_under(loop)) found.push_back(&site);
  }
  return found;
}

bool touches(const Site& site, const Buffer* buffer) {
  const auto& buffers = site.block->body->buffers;
  return std::find(buffers.begin(), buffers.end(), buffer) != buffers.end();
}

bool reads_own_target(const Body& body) {
  bool reads = false;
  program::for_each_scalar(body.value,
                           [&](Scalar s) { reads = reads || s->buffer == body.target; });
  return reads;
}

// Whether no two iterations of the chain that differ in any of its loops touch a common element
// that one of them writes: each loop by itself, taken outermost, might run in parallel.
bool is_independent(Context& cx, const Program& program, std::span<const Loop* const> chain) {
  for (const Loop* loop : chain) {
    std::vector<const Loop*> rest(chain.begin(), chain.end());
    rest.erase(std::find(rest.begin(), rest.end(), loop));
    Stmt body = in_order(cx, rest, chain.back()->body);
    Stmt outermost = cx.loop(loop->axis, LoopKind::Parallel, body);
    if (!holds(cx, program::replace(cx, program, chain.front(), outermost),
               {program::parallel_independent})
             .ok()) {
      return false;
    }
  }
  return true;
}

// What one block makes and another uses must be made and used in the same iteration of all loops.
Status require_order(Context& cx, const Program& program, const std::vector<Site>& sites,
                     std::span<const Loop* const> chain) {
  const std::vector<const Site*> blocks = inside(sites, chain.back());
  for (const Site* site : blocks) {
    const Buffer* target = site->block->body->target;
    const auto users = std::count_if(blocks.begin(), blocks.end(),
                                     [&](const Site* other) { return touches(*other, target); });
    if (users < 2 && !reads_own_target(*site->block->body)) continue;
    const Loop* home = program::home_of(sites, target);
    const auto place = std::find(site->loops.begin(), site->loops.end(), home);
    const auto innermost = std::find(site->loops.begin(), site->loops.end(), chain.back());
    if (home != nullptr && place >= innermost) continue;
    if (is_independent(cx, program, chain)) return Ok{};
    return Rejection(Reason::ChangesOrder, std::string(site->block->name),
                     "other iterations use '" + std::string(target->name) + "' too");
  }
  return Ok{};
}

// The instance that stores the initial value must stay the first of its element: all loops that
// feed the reduction are at 0 in it, and feed nothing else; or they keep their order.
Status require_init_first(Context& cx, const Site& site, std::span<const Loop* const> before,
                          std::span<const Loop* const> after) {
  const Block& block = *site.block;
  if (block.body->init == nullptr) return Ok{};
  Replacements zero;
  bool is_mixed = false;
  std::vector<const Loop*> feeding[2];
  for (const Loop* loop : site.loops) {
    const program::Feeds feeds = program::feeds_of(*loop, block);
    if (feeds.reduce) zero.push_back({loop->axis, cx.number(0)});
    if (feeds.reduce && feeds.spatial) is_mixed = true;
  }
  for (int k = 0; k < 2; ++k) {
    for (const Loop* loop : k == 0 ? before : after) {
      const program::Feeds feeds = program::feeds_of(*loop, block);
      if (feeds.reduce || (is_mixed && feeds.spatial)) feeding[k].push_back(loop);
    }
  }
  if (feeding[0] == feeding[1]) return Ok{};
  bool stays = !is_mixed;
  for (std::size_t i = 0; i < block.bindings.size(); ++i) {
    if (block.body->iterators[i].kind != program::IteratorKind::Reduce) continue;
    stays = stays && expr::is_const(replaced(cx, block.bindings[i], zero), 0);
  }
  std::vector<Expr> conjuncts;
  program::add_conjuncts(cx, block.predicate, conjuncts);
  for (Expr p : conjuncts) {
    const bool about = std::any_of(zero.begin(), zero.end(), [&](const expr::Replacement& r) {
      return program::uses(p, r.axis);
    });
    if (!about) continue;
    Expr at_zero = replaced(cx, p, zero);
    stays = stays && at_zero->kind == expr::Kind::Bool && expr::truth_of(at_zero);
  }
  if (stays) return Ok{};
  return Rejection(Reason::ChangesOrder, std::string(block.name),
                   "its initial value would not be stored first");
}

}  // namespace

Result<Applied> Reorder::apply(Context& cx, const Program& program) const {
  if (loops.empty()) return Applied{program, {}};
  CAMBIUM_TRY(const std::vector<const Loop*> chain, chain_of(program, loops));
  std::vector<const Loop*> order = chain;
  std::size_t next = 0;
  for (const Loop*& place : order) {
    const bool named = std::find(loops.begin(), loops.end(), place->name()) != loops.end();
    if (named) place = program::find_loop(program, loops[next++]);
  }
  const std::vector<Site> sites = program::sites_of(program);
  CAMBIUM_REQUIRE(require_order(cx, program, sites, chain));
  for (const Site* site : inside(sites, chain.back())) {
    CAMBIUM_REQUIRE(require_init_first(cx, *site, chain, order));
  }
  Stmt other = in_order(cx, order, chain.back()->body);
  Applied applied{program::replace(cx, program, chain.front(), other), {}};
  const bool any_at_once = std::any_of(chain.begin(), chain.end(), [](const Loop* loop) {
    return loop->how == LoopKind::Parallel || loop->how == LoopKind::Vectorized;
  });
  if (any_at_once) {
    CAMBIUM_REQUIRE(
        holds(cx, applied.program, {program::vectorized_innermost, program::parallel_independent}));
  }
  return applied;
}

}  // namespace cambium::schedule

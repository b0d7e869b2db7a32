#include "schedule/steps/decompose_reduction.h"

#include <algorithm>

#include "program/analysis.h"
#include "schedule/steps/rebuild.h"

namespace cambium::schedule {
namespace {

using program::Feeds;
using program::IteratorKind;

// Refuses what stands in the way of initial values that are all stored before the loop.
Status require_separable(const std::vector<Site>& sites, const Site& site, const Loop* loop) {
  const Block& block = *site.block;
  const std::string name(block.name);
  bool is_inside = false;
  for (const Loop* around : site.loops) {
    is_inside = is_inside || around == loop;
    const Feeds feeds = program::feeds_of(*around, block);
    if (feeds.reduce && (!is_inside || feeds.spatial)) {
      return Rejection(Reason::SplitsReduction, std::string(around->name()), name);
    }
  }
  if (loop == nullptr) return Ok{};  // nothing stands between the two
  const Buffer* target = block.body->target;
  const Loop* home = program::home_of(sites, target);
  const auto place = std::find(site.loops.begin(), site.loops.end(), home);
  if (home != nullptr && place >= std::find(site.loops.begin(), site.loops.end(), loop)) {
    return Rejection(Reason::ChangesOrder, name, "its target lives inside the loop");
  }
  for (const Site& other : sites) {
    if (other.block == &block || !other.is_under(loop)) continue;
    const Buffer* made = other.block->body->target;
    bool is_read = made == target;
    program::for_each_scalar(block.body->init,
                             [&](Scalar s) { is_read = is_read || s->buffer == made; });
    if (is_read) {
      return Rejection(Reason::ChangesOrder, name,
                       "block '" + std::string(other.block->name) + "' writes inside the loop too");
    }
  }
  return Ok{};
}

const Body* init_body(Context& cx, const Body& body) {
  std::vector<Iterator> spatial;
  for (const Iterator& it : body.iterators) {
    if (it.kind == IteratorKind::Spatial) spatial.push_back(it);
  }
  Body fields{};
  fields.iterators = spatial;
  fields.target = body.target;
  fields.indices = body.indices;
  fields.combine = program::Combine::Assign;
  fields.value = body.init;
  return cx.body(fields);
}

Stmt without_init(Context& cx, const Block& block) {
  Body fields = *block.body;
  fields.init = nullptr;
  return cx.block(block.name, cx.body(fields), block.bindings, block.predicate, block.annotations);
}

}  // namespace

Result<Applied> DecomposeReduction::apply(Context& cx, const Program& program) const {
  CAMBIUM_TRY(const Block* update, block_named(program, block));
  const Loop* before = nullptr;
  if (!loop.empty()) {
    CAMBIUM_TRY(before, loop_named(program, loop));
  }
  if (update->body->init == nullptr) return Rejection(Reason::NoInit, block);
  const std::vector<Site> sites = program::sites_of(program);
  const Site& site = site_of(sites, update);
  if (before != nullptr && !site.is_under(before)) {
    return Rejection(Reason::NotAround, loop, block);
  }
  CAMBIUM_REQUIRE(require_separable(sites, site, before));

  Fresh fresh(cx, program);
  Applied applied;
  applied.made.emplace_back(fresh.block(block + ".init"));
  Replacements axes;
  std::vector<std::pair<Expr, const Loop*>> copies;
  const auto first = std::find(site.loops.begin(), site.loops.end(), before);
  for (auto it = first; it != site.loops.end(); ++it) {
    const Feeds feeds = program::feeds_of(**it, *update);
    if (!feeds.spatial) {
      axes.push_back({(*it)->axis, cx.number(0)});
      continue;
    }
    copies.emplace_back(fresh.axis((*it)->name(), (*it)->extent()), *it);
    axes.push_back({(*it)->axis, copies.back().first});
    applied.made.emplace_back(expr::name_of(copies.back().first));
  }
  std::vector<Expr> bindings;
  for (std::size_t i = 0; i < update->bindings.size(); ++i) {
    Expr binding = replaced(cx, update->bindings[i], axes);
    if (update->body->iterators[i].kind == IteratorKind::Spatial) {
      bindings.push_back(binding);
    } else if (!expr::is_const(binding, 0)) {
      return Rejection(Reason::NotProved, "block '" + block + "'", "its reduction begins at 0");
    }
  }
  Expr predicate = tidy(cx, expr::substitute(cx.indices(), update->predicate, axes));
  Stmt init = cx.block(applied.made[0], init_body(cx, *update->body), bindings, predicate);
  for (auto it = copies.rbegin(); it != copies.rend(); ++it) {
    init = cx.loop(it->first, it->second->how, init, it->second->annotations);
  }
  if (before == nullptr) {
    const Stmt both[] = {init, without_init(cx, *update)};
    applied.program = program::replace(cx, program, update, cx.seq(both));
  } else {
    const Program updated = program::replace(cx, program, update, without_init(cx, *update));
    const Stmt both[] = {init, program::find_loop(updated, loop)};
    applied.program = program::replace(cx, updated, both[1], cx.seq(both));
  }
  // Where iterations run at once, the two blocks must keep apart as the one did.
  const Loop* inner = site.loops.empty() ? nullptr : site.loops.back();
  CAMBIUM_REQUIRE(stays_apart(cx, program, before != nullptr ? before : inner, applied.program));
  return applied;
}

}  // namespace cambium::schedule

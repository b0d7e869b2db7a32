#include "schedule/rules/factor_reduction.h"

#include <algorithm>

#include "schedule/rules/contraction.h"
#include "schedule/rules/multi_level_tiling.h"
#include "schedule/rules/parallel_work.h"
#include "schedule/rules/sites.h"

namespace cambium::schedule {

using program::IteratorKind;
using program::Site;

namespace {

Rejection leave(const char* why) {
  return Rejection(Reason::NothingToDo, "rfactor", why);
}

std::int64_t points_of(const program::Body& body, IteratorKind kind) {
  std::int64_t points = 1;
  for (const program::Iterator& it : body.iterators) points *= it.kind == kind ? it.extent() : 1;
  return points;
}

// All loops of the reduction as one, innermost.
Result<std::string> one_reduce_loop(Draft& draft, const std::string& block) {
  const Site site = site_of(draft, block);
  Names order, reduce, iterators;
  for (const program::Loop* loop : site.loops) {
    (program::feeds_of(*loop, *site.block).reduce ? reduce : order).emplace_back(loop->name());
  }
  for (const std::string& name : reduce) {
    for (std::size_t i = 0; i < site.block->bindings.size(); ++i) {
      if (expr::name_of(site.block->bindings[i]) != name) continue;
      iterators.emplace_back(expr::name_of(site.block->body->iterators[i].axis));
    }
  }
  order.insert(order.end(), reduce.begin(), reduce.end());
  if (order != names_of(site.loops)) CAMBIUM_REQUIRE(draft.apply(Reorder{order}));
  if (reduce.size() == 1) return reduce[0];
  CAMBIUM_TRY(const Names made, draft.apply(MergeIterators{block, iterators}));
  return made[0];
}

Status factor(Draft& draft, const std::string& block, const RFactorOptions& options) {
  const Site site = site_of(draft, block);
  const program::Body& body = *site.block->body;
  if (!is_reduction(body) || !is_as_lowered(site))
    return leave("it is not a reduction as lowering writes it");
  const std::int64_t results = points_of(body, IteratorKind::Spatial);
  const std::int64_t terms = points_of(body, IteratorKind::Reduce);
  if (terms == 1) return leave("it has one term");
  if (has_reuse(draft.context(), site) &&
      (results >= terms || results > options.chunks_per_thread * draft.threads())) {
    return leave("it has enough results to compute in parallel");
  }
  const std::size_t way = draft.branch("part", {"none", "outer", "inner"});
  if (way == 0) return Ok{};
  CAMBIUM_TRY(const std::string loop, one_reduce_loop(draft, block));
  const std::int64_t lanes = draft.machine().lanes();
  const Ints preferred = terms % lanes == 0 ? Ints{terms / lanes, lanes} : Ints{};
  const Ints factors = draft.perfect_tile("terms", terms, 2, options.innermost, preferred);
  CAMBIUM_TRY(const Names parts, draft.apply(Split{loop, factors, Tail::Exact}));
  const auto last = static_cast<std::int64_t>(body.target->dims.size());
  CAMBIUM_REQUIRE(draft.apply(RFactor{parts[way - 1], last}));
  return Ok{};
}

// The outermost reduce loop in parts, one to eight for every thread, side by side.
Status share_sum(Draft& draft, const std::string& block, const RFactorOptions& options) {
  const Site site = site_of(draft, block);
  const program::Body& body = *site.block->body;
  if (!is_reduction(body) || !is_as_lowered(site))
    return leave("it is not a reduction as lowering writes it");
  if (draft.threads() < 2) return leave("only one thread is available");
  if (contraction_of(body)) return leave("it is a contraction, which has a rule of its own");
  if (points_of(body, IteratorKind::Spatial) > options.chunks_per_thread * draft.threads()) {
    return leave("it has enough results to compute in parallel");
  }
  if (work_of(site) < kParallelWork) return leave("it has too little work");
  const auto reduces = [&](const program::Loop* loop) {
    return loop->extent() > 1 && program::feeds_of(*loop, *site.block).reduce;
  };
  const auto found = std::find_if(site.loops.begin(), site.loops.end(), reduces);
  if (found == site.loops.end()) return leave("it has one term");
  Ints parts;
  for (std::int64_t n = draft.threads(); n <= 8 * draft.threads(); ++n) {
    if ((*found)->extent() % n == 0) parts.push_back(n);
  }
  if (parts.empty()) return leave("no number of parts divides its loop");
  if (draft.branch("part", {"none", "outer"}, 0, {2, 1}) == 0) return Ok{};
  const std::int64_t chosen = draft.choose_number("parts", parts, 0);
  CAMBIUM_REQUIRE(sum_apart(draft, block, std::string((*found)->name()), chosen));
  return Ok{};
}

}  // namespace

Result<Names> sum_apart(Draft& draft, const std::string& block, const std::string& loop,
                        std::int64_t parts) {
  CAMBIUM_TRY(const Names split, draft.apply(Split{loop, {parts, 0}, Tail::Exact}));
  Names order{split[0]};
  for (std::string& name : names_of(site_of(draft, block).loops)) {
    if (name != split[0]) order.push_back(std::move(name));
  }
  CAMBIUM_REQUIRE(draft.apply(Reorder{order}));
  return draft.apply(RFactor{split[0], 0});
}

Rule rfactor_rule(RFactorOptions options) {
  return {"rfactor", "compute reductions as partial results side by side",
          [options](Draft& draft, const std::string& block) {
            return options.only_threads ? share_sum(draft, block, options)
                                        : factor(draft, block, options);
          }};
}

}  // namespace cambium::schedule

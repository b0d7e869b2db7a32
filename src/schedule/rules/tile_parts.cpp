#include "schedule/rules/tile_parts.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "expr/simplify.h"
#include "expr/substitute.h"
#include "schedule/rules/sites.h"

namespace cambium::schedule {

using program::Block;
using program::Buffer;
using program::Expr;
using program::Loop;
using program::Site;

namespace {

bool reads_in_order(const Block& reader, const Buffer* buffer) {
  std::size_t times = 0;
  bool in_order = true;
  program::for_each_scalar(reader.body->value, [&](program::Scalar scalar) {
    if (scalar->buffer != buffer) return;
    ++times;
    for (Expr e : scalar->indices) {
      in_order &= e->kind == expr::Kind::Axis || e->kind == expr::Kind::Const;
    }
  });
  return times == 1 && in_order;
}

// Whether a condition that moves with the loop holds in all iterations but the last.
bool has_tail(Context& cx, const Loop& loop, const Block& block) {
  if (!program::uses(block.predicate, loop.axis)) return false;
  std::vector<Expr> conjuncts;
  program::add_conjuncts(cx, block.predicate, conjuncts);
  const expr::Replacement before_last{loop.axis, cx.axis(loop.name(), loop.extent() - 1)};
  return std::any_of(conjuncts.begin(), conjuncts.end(), [&](Expr condition) {
    if (!program::uses(condition, loop.axis)) return false;
    const Expr then = expr::substitute(cx.indices(), condition, std::span(&before_last, 1));
    return expr::simplify(cx.indices(), then) == cx.indices().boolean(true);
  });
}

bool has_tail(Context& cx, const Loop& loop) {
  bool found = false;
  std::vector<const Loop*> around;
  program::for_each_stmt(loop.body, around, [&](program::Stmt s, const auto&) {
    const Block* block = program::as_block(s);
    found = found || (block != nullptr && has_tail(cx, loop, *block));
  });
  return found;
}

// The outermost plain loops inside a loop that have tails.
Names tails_inside(Context& cx, const Program& program, const std::string& name) {
  const Loop* around = program::find_loop(program, name);
  Names names;
  program::for_each_stmt(program, [&](program::Stmt s, const std::vector<const Loop*>& loops) {
    const Loop* loop = program::as_loop(s);
    if (loop == nullptr || loop->how != program::LoopKind::Serial || loop->extent() < 2) return;
    const auto at = std::find(loops.begin(), loops.end(), around);
    if (at == loops.end() || !has_tail(cx, *loop)) return;
    const bool is_outermost = std::none_of(at + 1, loops.end(), [&](const Loop* l) {
      return std::find(names.begin(), names.end(), l->name()) != names.end();
    });
    if (is_outermost) names.emplace_back(loop->name());
  });
  return names;
}

}  // namespace

Result<std::string> epilogue_of(Draft& draft, const std::string& block) {
  const Buffer* target = site_of(draft, block).block->body->target;
  if (target->role == program::Role::Local) {
    const Block* reader = only_reader(draft.program(), target);
    if (reader != nullptr && !is_reduction(*reader->body) && reads_in_order(*reader, target)) {
      return std::string(reader->name);
    }
  }
  CAMBIUM_TRY(const Names made, draft.apply(CacheWrite{block}));
  return made[0];
}

void copy_result_by_digits(Draft& draft, const std::string& block, std::string& epilogue,
                           const Names& together) {
  auto before = draft.schedule().mark();
  const std::string result(site_of(draft, block).block->body->target->name);
  const auto copy = draft.apply(CacheWrite{block});
  if (copy.ok() && draft.apply(SetLayout{result, together}).ok()) {
    before = draft.schedule().mark();
    if (draft.apply(ReverseInline{std::exchange(epilogue, copy->front())}).ok()) return;
  }
  draft.schedule().back_to(before);
}

Status make_tile(Draft& draft, const Names& loops) {
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (program::find_loop(draft.program(), loops[i]) == nullptr) continue;
    if (i + 1 < loops.size()) {
      CAMBIUM_REQUIRE(draft.apply(Unroll{loops[i]}));
    } else {
      CAMBIUM_REQUIRE(draft.apply(Vectorize{loops[i]}));
    }
  }
  return Ok{};
}

Status cut_tail(Draft& draft, const std::string& name) {
  const Loop* loop = program::find_loop(draft.program(), name);
  if (loop == nullptr || loop->extent() < 2 || !has_tail(draft.context(), *loop)) return Ok{};
  CAMBIUM_TRY(const Names pieces, draft.apply(Partition{name, {loop->extent() - 1}}));
  for (const std::string& inner : tails_inside(draft.context(), draft.program(), pieces.back())) {
    CAMBIUM_REQUIRE(cut_tail(draft, inner));
  }
  return Ok{};
}

namespace {

// The conditions of selects in the block's value that move with the loop, over loops.
std::vector<Expr> conditions_of(Context& cx, const Site& site, Expr axis) {
  std::vector<Expr> conditions;
  for (const program::Access& access : program::accesses_of(cx, *site.block->body)) {
    for (Expr guard : access.guards) {
      const Expr over = program::over_loops(cx, *site.block, guard);
      if (program::uses(over, axis)) conditions.push_back(over);
    }
  }
  return conditions;
}

}  // namespace

bool holds_at(Context& cx, Expr condition, Expr axis, std::int64_t value) {
  const expr::Replacement fixed{axis, cx.number(value)};
  const Expr then = expr::substitute(cx.indices(), condition, std::span(&fixed, 1));
  return expr::simplify(cx.indices(), then) == cx.indices().boolean(true);
}

Status cut_borders(Draft& draft, const std::string& block, const std::string& name) {
  Context& cx = draft.context();
  const Loop* loop = program::find_loop(draft.program(), name);
  if (loop == nullptr || loop->extent() < 3) return Ok{};
  const auto conditions = conditions_of(cx, site_of(draft, block), loop->axis);
  if (conditions.empty()) return Ok{};
  const auto decided = [&](std::int64_t value) {
    return std::all_of(conditions.begin(), conditions.end(),
                       [&](Expr c) { return holds_at(cx, c, loop->axis, value); });
  };
  std::int64_t first = 0, last = loop->extent() - 1;
  while (first <= last && !decided(first)) ++first;
  while (last > first && !decided(last)) --last;
  if (first >= last) return Ok{};
  Ints points;
  if (first > 0) points.push_back(first);
  if (last + 1 < loop->extent()) points.push_back(last + 1);
  if (points.empty()) return Ok{};
  CAMBIUM_REQUIRE(draft.apply(Partition{name, points}));
  return Ok{};
}

void pack_constants(Draft& draft, const std::string& block, std::size_t lane,
                    std::int64_t panel_width) {
  const program::Body& body = *site_of(draft, block).block->body;
  const Expr axis = body.iterators[lane].axis;
  const bool has_panels = panel_width > 0 && panel_width < body.iterators[lane].extent();
  for (const program::Access& access : program::accesses_of(draft.context(), body)) {
    if (access.buffer->role != program::Role::Constant || access.indices.empty()) continue;
    const auto stride = program::stride_of(*access.buffer, access.indices, axis);
    if (stride == 0 || stride == 1) continue;
    Names dims;
    std::string lanes;
    for (std::size_t d = 0; d < access.indices.size(); ++d) {
      (access.indices[d] == axis ? lanes : dims.emplace_back()) = fmt::format("d{}", d);
    }
    if (lanes.empty()) continue;
    if (has_panels) {
      dims.insert(dims.begin(), fmt::format("{} / {}", lanes, panel_width));
      lanes = fmt::format("{} % {}", lanes, panel_width);
    }
    dims.push_back(lanes);
    const auto before = draft.schedule().mark();
    const auto made = draft.apply(CacheRead{block, std::string(access.buffer->name)});
    if (!made.ok() || !draft.apply(SetLayout{(*made)[1], dims}).ok())
      draft.schedule().back_to(before);
  }
}

Status put_innermost(Draft& draft, const std::string& block, const Names& innermost) {
  const Site site = site_of(draft, block);
  Names order(innermost.rbegin(), innermost.rend());
  program::Stmt inner = site.block;
  for (auto loop = site.loops.rbegin(); loop != site.loops.rend(); inner = *loop, ++loop) {
    if ((*loop)->body != inner) break;  // other blocks stand in it
    const std::string name((*loop)->name());
    if (std::find(innermost.begin(), innermost.end(), name) == innermost.end()) {
      order.push_back(name);
    }
  }
  std::reverse(order.begin(), order.end());
  CAMBIUM_REQUIRE(draft.apply(Reorder{order}));
  return Ok{};
}

}  // namespace cambium::schedule

// Copies between two orders of memory, as packing makes them: what is a digit in one of the orders
// becomes a loop of its own, and where neighbours of one order are far apart in the other, square
// tiles as wide as a vector, which code generation transposes in registers.
#include <algorithm>

#include "expr/simplify.h"
#include "schedule/rules/kernel_rules.h"
#include "schedule/rules/sites.h"

namespace cambium::schedule {

using program::Expr;
using program::Loop;
using program::Site;

namespace {

// The loops directly around the block and nothing else, outermost first, as they were lowered.
std::vector<const Loop*> own_loops(const Site& site) {
  std::vector<const Loop*> loops;
  program::Stmt inner = site.block;
  for (auto it = site.loops.rbegin(); it != site.loops.rend(); ++it) {
    if ((*it)->body != inner || (*it)->how != program::LoopKind::Serial) break;
    loops.insert(loops.begin(), *it);
    inner = *it;
  }
  return loops;
}

// n where the expression has `axis % n` in it; 0: nowhere.
std::int64_t modulus_of(Expr e, Expr axis) {
  if (e == nullptr || e->kind == expr::Kind::Axis) return 0;
  if (e->kind == expr::Kind::Mod && e->a == axis) return e->b->range.lo;
  return std::max(modulus_of(e->a, axis), modulus_of(e->b, axis));
}

// Splits loops that count two digits of an index; whether there were any.
Result<bool> separate_digits(Draft& draft, const std::string& block) {
  bool any = false;
  for (const std::string& name : names_of(own_loops(site_of(draft, block)))) {
    const Site site = site_of(draft, block);
    const Loop* loop = program::find_loop(draft.program(), name);
    std::int64_t digit = 0;
    for (const program::Access& access : program::accesses_of(draft.context(), *site.block->body)) {
      for (Expr e : program::over_loops(draft.context(), *site.block, access.indices)) {
        digit = std::max(digit, modulus_of(e, loop->axis));
      }
    }
    if (digit < 2 || digit >= loop->extent() || loop->extent() % digit != 0) continue;
    CAMBIUM_REQUIRE(draft.apply(Split{name, {loop->extent() / digit, digit}, Tail::Exact}));
    any = true;
  }
  return any;
}

// The loop along which an access moves by one element; empty: none.
std::string neighbours(Draft& draft, const Site& site, const program::Buffer& buffer,
                       std::span<const Expr> at) {
  auto indices = program::over_loops(draft.context(), *site.block, at);
  for (Expr& e : indices) e = expr::simplify(draft.context().indices(), e);
  for (const Loop* loop : own_loops(site)) {
    if (loop->extent() > 1 && program::stride_of(buffer, indices, loop->axis) == 1) {
      return std::string(loop->name());
    }
  }
  return {};
}

// The loop in parts of so many, the tail cut off.
Result<Names> parts_of(Draft& draft, const std::string& loop, std::int64_t wide) {
  return draft.apply(Split{loop, {0, wide}, Tail::Guard});
}

Status cut(Draft& draft, const std::string& outer, std::int64_t whole) {
  const Loop* loop = program::find_loop(draft.program(), outer);
  if (loop == nullptr || whole == 0 || whole >= loop->extent()) return Ok{};
  CAMBIUM_REQUIRE(draft.apply(Partition{outer, {whole}}));
  return Ok{};
}

}  // namespace

Status transpose_copy(Draft& draft, const std::string& block) {
  const auto leave = [](const char* why) {
    return Rejection(Reason::NothingToDo, "transpose-copy", why);
  };
  const program::Body& body = *site_of(draft, block).block->body;
  if (body.combine != program::Combine::Assign || body.value->kind != program::ScalarKind::Load ||
      body.value->indices.empty()) {
    return leave("it does not copy");
  }
  if (is_vectorized(site_of(draft, block))) return leave("it has lanes");
  CAMBIUM_TRY(const bool separated, separate_digits(draft, block));
  const Site site = site_of(draft, block);
  const std::string stored = neighbours(draft, site, *body.target, body.indices);
  const std::string read = neighbours(draft, site, *body.value->buffer, body.value->indices);
  const std::int64_t wide = draft.machine().lanes(size_of(body.target->dtype));
  const auto extent = [&](const std::string& loop) {
    return program::find_loop(draft.program(), loop)->extent();
  };
  if (stored.empty() || read.empty() || stored == read || extent(stored) < wide ||
      extent(read) < wide) {
    return separated ? Status(Ok{})
                     : Status(leave("it does not transpose dimensions that fill vectors"));
  }
  if (draft.choose("way", {"tiles", "lanes"}, 0, {3, 1}) == 1) {
    return separated ? Status(Ok{}) : Status(leave("as lanes"));
  }
  const std::int64_t whole_rows = extent(read) / wide, whole_lanes = extent(stored) / wide;
  CAMBIUM_TRY(const Names rows, parts_of(draft, read, wide));
  CAMBIUM_TRY(const Names lanes, parts_of(draft, stored, wide));
  Names order;
  for (const std::string& name : names_of(own_loops(site_of(draft, block)))) {
    if (name != rows[1] && name != lanes[1]) order.push_back(name);
  }
  order.push_back(rows[1]);
  order.push_back(lanes[1]);
  CAMBIUM_REQUIRE(draft.apply(Reorder{order}));
  CAMBIUM_REQUIRE(draft.apply(Unroll{rows[1]}));
  CAMBIUM_REQUIRE(draft.apply(Vectorize{lanes[1]}));
  CAMBIUM_REQUIRE(cut(draft, lanes[0], whole_lanes));
  return cut(draft, rows[0], whole_rows);
}

}  // namespace cambium::schedule

#include "schedule/defaults/tile_parts.h"

#include <algorithm>

#include "schedule/defaults/sites.h"

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

bool is_guarded(const Program& program, const Loop& loop) {
  for (const Site& at : program::sites_of(program)) {
    if (at.is_under(&loop) && program::uses(at.block->predicate, loop.axis)) return true;
  }
  return false;
}

}  // namespace

Result<std::string> epilogue_of(Schedule& s, const std::string& block) {
  const Buffer* target = site_of(s.program(), block).block->body->target;
  if (target->role == program::Role::Local) {
    const Block* reader = only_reader(s.program(), target);
    if (reader != nullptr && !is_reduction(*reader->body) && reads_in_order(*reader, target)) {
      return std::string(reader->name);
    }
  }
  CAMBIUM_TRY(const Names made, s.apply(CacheWrite{block}));
  return made[0];
}

Status make_tile(Schedule& s, const Names& loops) {
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (program::find_loop(s.program(), loops[i]) == nullptr) continue;
    if (i + 1 < loops.size()) {
      CAMBIUM_REQUIRE(s.apply(Unroll{loops[i]}));
    } else {
      CAMBIUM_REQUIRE(s.apply(Vectorize{loops[i]}));
    }
  }
  return Ok{};
}

Status cut_tail(Schedule& s, const std::string& name) {
  const Loop* loop = program::find_loop(s.program(), name);
  if (loop == nullptr || loop->extent() < 2 || !is_guarded(s.program(), *loop)) return Ok{};
  CAMBIUM_REQUIRE(s.apply(Partition{name, {loop->extent() - 1}}));
  return Ok{};
}

Status put_innermost(Schedule& s, const std::string& block, const Names& innermost) {
  Names order;
  for (const std::string& name : names_of(site_of(s.program(), block).loops)) {
    if (std::find(innermost.begin(), innermost.end(), name) == innermost.end()) {
      order.push_back(name);
    }
  }
  order.insert(order.end(), innermost.begin(), innermost.end());
  CAMBIUM_REQUIRE(s.apply(Reorder{order}));
  return Ok{};
}

}  // namespace cambium::schedule

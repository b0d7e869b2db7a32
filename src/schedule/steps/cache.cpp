#include "schedule/steps/cache.h"

#include <algorithm>

#include "program/analysis.h"
#include "program/rewrite.h"
#include "program/verify.h"
#include "schedule/steps/place.h"

namespace cambium::schedule {
namespace {

using namespace program;

// A nest that copies one buffer to another of the same shape, and what it made.
struct Copy {
  Stmt nest;
  Names made;
};
Copy copy_of(Context& cx, const Program& program, const Buffer* from, const Buffer* to,
             const Buffer* local) {
  std::vector<Iterator> iterators;
  std::vector<Expr> at, loops;
  Fresh fresh(cx, program);
  const std::string block(fresh.block(local->name));
  Copy copy{nullptr, {block, std::string(local->name)}};
  for (std::size_t d = 0; d < from->dims.size(); ++d) {
    const std::string name = "d" + std::to_string(d);
    iterators.push_back({cx.axis(name, from->dims[d]), IteratorKind::Spatial});
    at.push_back(iterators.back().axis);
    loops.push_back(fresh.axis(name, from->dims[d]));
    copy.made.emplace_back(expr::name_of(loops.back()));
  }
  Body fields{};
  fields.iterators = iterators;
  fields.target = to;
  fields.indices = at;
  fields.value = cx.load(from, at);
  copy.nest = nest(cx, loops, cx.block(block, cx.body(fields), loops));
  return copy;
}

const Buffer* local_like(Context& cx, const Program& program, const Buffer& buffer) {
  const std::string name = std::string(buffer.name) + ".cache";
  return cx.buffer(Fresh(cx, program).buffer(name), buffer.dtype, buffer.dims, Role::Local);
}

bool is_in(std::span<const std::size_t> all, const Site& site) {
  return std::find(all.begin(), all.end(), site.order) != all.end();
}

}  // namespace

Result<Applied> CacheRead::apply(Context& cx, const Program& program) const {
  const std::vector<Site> sites = sites_of(program);
  const Site* reader = find_site(sites, block);
  if (reader == nullptr) return Rejection(Reason::UnknownName, block);
  const Buffer* from = find_buffer(program, buffer);
  if (from == nullptr) return Rejection(Reason::UnknownName, buffer);
  if (!is_in(readers_of(sites, from), *reader)) {
    return Rejection(Reason::NotConsumer, block, "it does not read '" + buffer + "'");
  }
  const Loop* home = home_of(sites, from);
  Stmt there = child_with(program, home, *reader);
  for (const std::size_t w : writers_of(sites, from)) {
    // Writers before the nest are done by then; those inside it or after it are not.
    if (sites[w].order >= reader->order || child_with(program, home, sites[w]) == there) {
      return Rejection(Reason::ReadBeforeWrite, block, buffer);
    }
  }
  const Buffer* local = local_like(cx, program, *from);
  Copy copy = copy_of(cx, program, from, local, local);
  Program result = add_local(cx, insert_before(cx, program, there, copy.nest), local);
  result = map_blocks(cx, result, [&](const Block& b) -> Stmt {
    if (&b != reader->block) return &b;
    return with_body(cx, b, rewrite(cx, *b.body, keep_index(), [&](Scalar s) {
                       if (s->buffer != from) return s;
                       return s->kind == ScalarKind::Gather ? cx.gather(local, s->operands)
                                                            : cx.load(local, s->indices);
                     }));
  });
  // Parts of what blocks compute may never be written, and cannot be copied.
  if (from->role == Role::Local || from->role == Role::Output) {
    CAMBIUM_REQUIRE(check(cx, result, Stage::Scheduled));
  }
  return Applied{result, std::move(copy.made)};
}

Result<Applied> CacheWrite::apply(Context& cx, const Program& program) const {
  const std::vector<Site> sites = sites_of(program);
  const Site* writer = find_site(sites, block);
  if (writer == nullptr) return Rejection(Reason::UnknownName, block);
  const Buffer* to = writer->block->body->target;
  const Site& last = sites[writers_of(sites, to).back()];
  const Loop* home = home_of(sites, to);
  Stmt there = child_with(program, home, last);
  // Who reads it before the copy is made reads the local.
  std::vector<const Block*> early;
  for (const Site& site : sites) {
    const bool inside = home == nullptr || site.is_under(home);
    if (site.order <= last.order || (inside && child_with(program, home, site) == there)) {
      early.push_back(site.block);
    }
  }
  const Buffer* local = local_like(cx, program, *to);
  Copy copy = copy_of(cx, program, local, to, local);
  Program result = add_local(cx, insert_after(cx, program, there, copy.nest), local);
  result = map_blocks(cx, result, [&](const Block& b) -> Stmt {
    const bool changes = std::find(early.begin(), early.end(), &b) != early.end();
    return changes ? with_body(cx, b, program::with_buffer(cx, *b.body, to, local)) : &b;
  });
  CAMBIUM_REQUIRE(check(cx, result, Stage::Scheduled));
  return Applied{result, std::move(copy.made)};
}

}  // namespace cambium::schedule

#include "schedule/steps/share_local.h"

#include <algorithm>

#include "program/analysis.h"
#include "program/coverage.h"
#include "program/rewrite.h"
#include "schedule/steps/place.h"
#include "schedule/steps/rebuild.h"

namespace cambium::schedule {
namespace {

// The site of the block that alone computes a local, once per call.
Result<const Site*> maker_of(const Program& program, const std::vector<Site>& sites,
                             const std::string& name) {
  const Buffer* local = program::find_buffer(program, name);
  if (local == nullptr) return Rejection(Reason::UnknownName, name);
  if (local->role != program::Role::Local) {
    return Rejection(Reason::NotLocal, name, "it is a parameter, which belongs to the caller");
  }
  const std::vector<std::size_t> writers = program::writers_of(sites, local);
  if (writers.size() != 1) return Rejection(Reason::NotLocal, name, "several blocks write it");
  if (program::home_of(sites, local) != nullptr) {
    return Rejection(Reason::NotLocal, name, "it lives in a loop");
  }
  return &sites[writers[0]];
}

// The same body, but for the buffer that it writes.
bool computes_the_same(Context& cx, const Body& a, const Body& b) {
  const auto same_axis = [](const Iterator& x, const Iterator& y) {
    return x.axis == y.axis && x.kind == y.kind;
  };
  if (a.target->dtype != b.target->dtype || !std::ranges::equal(a.target->dims, b.target->dims) ||
      !std::ranges::equal(a.iterators, b.iterators, same_axis) ||
      !std::ranges::equal(a.indices, b.indices)) {
    return false;
  }
  const Body* renamed = program::with_buffer(cx, b, b.target, a.target);
  return renamed->fingerprint == a.fingerprint && std::ranges::equal(renamed->buffers, a.buffers);
}

}  // namespace

Result<Applied> ShareLocal::apply(Context& cx, const Program& program) const {
  const std::vector<Site> sites = program::sites_of(program);
  CAMBIUM_TRY(const Site* gone, maker_of(program, sites, buffer));
  CAMBIUM_TRY(const Site* kept, maker_of(program, sites, by));
  const Block& block = *gone->block;
  const std::string name(block.name);
  if (gone == kept || !computes_the_same(cx, *kept->block->body, *block.body)) {
    return Rejection(Reason::NotConsumer, name, "it does not compute what '" + by + "' holds");
  }
  if (program::coverage_of(cx, *kept).full != program::Proof::Yes) {
    return Rejection(Reason::NotConsumer, name, "'" + by + "' is not computed as a whole");
  }
  if (kept->order > gone->order) {
    return Rejection(Reason::ChangesOrder, name, "'" + by + "' is computed after it");
  }
  for (const Buffer* read : block.body->buffers) {
    if (read == block.body->target ||
        !written_between(sites, read, kept->order, sites.size(), &block)) {
      continue;
    }
    return Rejection(Reason::ChangesOrder, name,
                     "'" + std::string(read->name) + "' is written after it");
  }
  const Buffer* old = block.body->target;
  const Buffer* other = kept->block->body->target;
  Program result = program::replace(cx, program, &block, cx.seq({}));
  result = program::map_blocks(cx, result, [&](const Block& b) -> Stmt {
    if (!program::touches(*b.body, old)) return &b;
    return program::with_body(cx, b, program::with_buffer(cx, *b.body, old, other));
  });
  result = program::remove_local(cx, result, old);
  CAMBIUM_REQUIRE(holds(cx, result, {program::reads_after_writes, program::parallel_independent}));
  return Applied{result, {}};
}

}  // namespace cambium::schedule

#include "schedule/steps/compose_reduction.h"

#include "program/analysis.h"
#include "program/coverage.h"
#include "program/rewrite.h"
#include "schedule/steps/place.h"
#include "schedule/steps/rebuild.h"

namespace cambium::schedule {
namespace {

// Whether the block writes every element of its target: as many points as there are elements, all
// of them visited, and no two of them the same element.
bool reaches_all(Context& cx, const Site& site) {
  const Body& body = *site.block->body;
  std::int64_t points = 1;
  for (const Iterator& it : body.iterators) {
    if (it.kind == program::IteratorKind::Spatial) points *= it.extent();
  }
  return points == body.target->elements() &&
         program::coverage_of(cx, site).full == program::Proof::Yes &&
         program::writes_apart(cx, body) == program::Proof::Yes;
}

}  // namespace

Result<Applied> ComposeReduction::apply(Context& cx, const Program& program) const {
  CAMBIUM_TRY(const Block* found, block_named(program, block));
  const Body& body = *found->body;
  if (body.combine == program::Combine::Assign || body.init != nullptr) {
    return Rejection(Reason::BadReduction,
                     "block '" + block + "' assigns its target, or already has an initial value");
  }
  const std::string target(body.target->name);
  if (body.target->role != program::Role::Local) {
    return Rejection(Reason::NotLocal, target, "it is a parameter, which belongs to the caller");
  }
  const std::vector<Site> sites = program::sites_of(program);
  const std::vector<std::size_t> writers = program::writers_of(sites, body.target);
  const Site& site = site_of(sites, found);
  if (writers.size() != 2 || sites[writers[1]].block != found) {
    return Rejection(Reason::NotLocal, target,
                     "exactly one other block must write it, before the reduction");
  }
  const Block* first = sites[writers[0]].block;
  const Scalar value = first->body->value;
  if (first->body->combine != program::Combine::Assign ||
      value->kind != program::ScalarKind::Const) {
    return Rejection(Reason::NotLocal, target,
                     "the block before the reduction must store a number");
  }
  if (program::home_of(sites, body.target) != nullptr || !reaches_all(cx, site)) {
    return Rejection(Reason::NotABox, block, target);
  }
  Body fields = body;
  fields.init = value;
  Program result =
      program::replace(cx, program, found, program::with_body(cx, *found, cx.body(fields)));
  result = program::replace(cx, result, program::find_block(result, first->name), cx.seq({}));
  CAMBIUM_REQUIRE(holds(cx, result,
                        {program::points_once, program::writes_apart, program::reductions_complete,
                         program::reads_after_writes, program::parallel_independent}));
  return Applied{result, {}};
}

}  // namespace cambium::schedule

#include "schedule/rules/space.h"

#include "program/verify.h"
#include "program/walk.h"
#include "schedule/initial_values.h"

namespace cambium::schedule {
namespace {

// Every rule on every block. Refusals of rules are no refusals: they had nothing to do there.
Draft run_rules(Context& cx, const Program& program, const Machine& machine, const Space& space,
                const DraftOptions& options) {
  Draft draft(cx, program, machine, options);
  for (const Rule& rule : space.rules) {
    const Names blocks = blocks_of(draft.program());
    for (std::size_t i = blocks.size(); i-- > 0;) {
      if (program::find_block(draft.program(), blocks[i]) == nullptr) continue;
      const Schedule::Mark before = draft.schedule().mark();
      draft.enter(rule.name, blocks[i]);
      if (!rule.apply(draft, blocks[i]).ok()) draft.schedule().back_to(before);
    }
  }
  return draft;
}

}  // namespace

Result<Schedule> generate(Context& cx, const Program& program, const Machine& machine,
                          const Space& space, const DraftOptions& options) {
  Draft draft = run_rules(cx, program, machine, space, options);
  CAMBIUM_REQUIRE(decompose_all(draft.schedule()));
  CAMBIUM_REQUIRE(program::check(cx, draft.program(), program::Stage::Ready));
  return std::move(draft.schedule());
}

}  // namespace cambium::schedule

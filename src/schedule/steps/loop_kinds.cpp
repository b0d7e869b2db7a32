#include "schedule/steps/loop_kinds.h"

#include "schedule/steps/rebuild.h"

namespace cambium::schedule {
namespace {

using program::LoopKind;

Result<Applied> with_kind(Context& cx, const Program& program, const std::string& name,
                          LoopKind kind, std::initializer_list<RuleFunction> rules) {
  CAMBIUM_TRY(const Loop* loop, loop_named(program, name));
  if (loop->how != LoopKind::Serial) return Rejection(Reason::LoopNotPlain, name);
  Stmt other = cx.loop(loop->axis, kind, loop->body, loop->annotations);
  Applied applied{program::replace(cx, program, loop, other), {}};
  CAMBIUM_REQUIRE(holds(cx, applied.program, rules, as_loop(other)));
  return applied;
}

}  // namespace

Result<Applied> Unroll::apply(Context& cx, const Program& program) const {
  return with_kind(cx, program, loop, LoopKind::Unrolled, {program::unroll_bounded});
}

Result<Applied> Vectorize::apply(Context& cx, const Program& program) const {
  return with_kind(cx, program, loop, LoopKind::Vectorized,
                   {program::vectorized_innermost, program::parallel_independent});
}

Result<Applied> Parallel::apply(Context& cx, const Program& program) const {
  return with_kind(cx, program, loop, LoopKind::Parallel, {program::parallel_independent});
}

}  // namespace cambium::schedule

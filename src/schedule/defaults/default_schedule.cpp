#include "schedule/defaults/default_schedule.h"

#include "program/verify.h"
#include "schedule/defaults/contraction.h"
#include "schedule/defaults/kinds_of_work.h"
#include "schedule/defaults/sites.h"
#include "schedule/initial_values.h"

namespace cambium::schedule {

using program::Loop;
using program::Site;

namespace {

bool is_touched(const Site& site) {
  for (const Loop* loop : site.loops) {
    if (loop->how == program::LoopKind::Vectorized) return true;
  }
  return false;
}

// Reductions with lanes of their own first; those along memory when all have found their places.
void schedule_reductions(Schedule& s, const Machine& machine) {
  for (const std::string& block : blocks_of(s.program())) {
    const Site site = site_of(s.program(), block);
    if (!is_reduction(*site.block->body)) continue;
    if (contraction_of(*site.block->body) && tile_contraction(s, block, machine).ok()) continue;
    static_cast<void>(tile_window(s, block, machine));
  }
  fuse_rows(s);
  for (const std::string& block : blocks_of(s.program())) {
    const Site site = site_of(s.program(), block);
    if (is_reduction(*site.block->body) && !is_touched(site)) {
      static_cast<void>(reduce_in_lanes(s, block, machine));
    }
  }
}

}  // namespace

Result<Schedule> plain_schedule(Context& cx, const Program& program) {
  CAMBIUM_REQUIRE(program::check(cx, program, program::Stage::Lowered));
  Schedule s(cx, program);
  CAMBIUM_REQUIRE(decompose_all(s));
  return s;
}

Result<Schedule> default_schedule(Context& cx, const Program& program, const Machine& machine) {
  CAMBIUM_REQUIRE(program::check(cx, program, program::Stage::Lowered));
  Schedule s(cx, program);
  merge_narrow_groups(s, machine);
  fold_elementwise(s);
  schedule_reductions(s, machine);
  CAMBIUM_REQUIRE(decompose_all(s));
  for (const std::string& block : blocks_of(s.program())) {
    if (!is_touched(site_of(s.program(), block))) {
      static_cast<void>(vectorize_loops(s, block, machine));
    }
    if (program::find_block(s.program(), block) != nullptr) run_in_parallel(s, block, machine);
  }
  CAMBIUM_REQUIRE(program::check(cx, s.program(), program::Stage::Ready));
  return s;
}

}  // namespace cambium::schedule

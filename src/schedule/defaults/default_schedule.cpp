#include "schedule/defaults/default_schedule.h"

#include <algorithm>

#include "program/verify.h"
#include "schedule/initial_values.h"
#include "schedule/rules/space.h"

namespace cambium::schedule {

Result<Schedule> plain_schedule(Context& cx, const Program& program) {
  CAMBIUM_REQUIRE(program::check(cx, program, program::Stage::Lowered));
  Schedule s(cx, program);
  CAMBIUM_REQUIRE(decompose_all(s));
  return s;
}

Result<Schedule> default_schedule(Context& cx, const Program& program, const Machine& machine) {
  CAMBIUM_REQUIRE(program::check(cx, program, program::Stage::Lowered));
  DraftOptions options;
  options.otherwise = Otherwise::Preferred;
  options.threads = std::max(machine.cores, 2);  // one thread runs parallel loops in order
  return generate(cx, program, machine, whole_space(), options);
}

}  // namespace cambium::schedule

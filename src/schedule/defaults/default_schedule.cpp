#include "schedule/defaults/default_schedule.h"

#include <algorithm>

#include "program/verify.h"
#include "schedule/rules/contraction.h"
#include "schedule/rules/initial_values.h"
#include "schedule/rules/sites.h"
#include "schedule/rules/space.h"

namespace cambium::schedule {
namespace {

Result<Space> space_of(Default which) {
  std::vector<std::string> left_out;
  if (!has_tiles(which)) left_out = {"winograd", "contraction-tile"};
  if (which == Default::VectorLoops) left_out.emplace_back("window-tile");
  return without(whole_space(), left_out);
}

Machine machine_of(Default which, Machine machine) {
  if (which == Default::SmallCode) machine.vector_registers -= machine.vector_registers / 4;
  return machine;
}

}  // namespace

bool has_tiles(Default which) {
  return which == Default::Preferred || which == Default::LessUnrolled ||
         which == Default::SmallCode;
}

std::string_view name_of(Default which) {
  switch (which) {
    case Default::Preferred: return "the preferred schedule";
    case Default::LessUnrolled: return "the schedule with less unrolling";
    case Default::SmallCode: return "the schedule with small code";
    case Default::WithoutProducts: return "the schedule without tiles of contractions";
    case Default::VectorLoops: return "the schedule without register tiles";
    case Default::Plain: return "the schedule with plain loops";
  }
  return "";
}

// The rules that keep sums in registers always ask something, and what a refused rule asked is not
// in the trace.
std::string untiled_contraction(const Program& program, const Trace& trace) {
  constexpr std::int64_t kFew = 4096;  // products: a few microseconds, one at a time
  for (const program::Site& site : program::sites_of(program)) {
    const std::string block(site.block->name);
    const auto is_of_tile = [&](const Record& record) {
      const std::string* key = key_of(record.step);
      if (key == nullptr) return false;
      for (const char* rule : {"contraction-tile/", "window-tile/", "lane-reduction/"}) {
        if (key->starts_with(rule + block + "/")) return true;
      }
      return false;
    };
    if (contraction_of(*site.block->body) && work_of(site) >= kFew &&
        std::none_of(trace.begin(), trace.end(), is_of_tile)) {
      return block;
    }
  }
  return "";
}

Result<Schedule> plain_schedule(Context& cx, const Program& program) {
  CAMBIUM_REQUIRE(program::check(cx, program, program::Stage::Lowered));
  Schedule s(cx, program);
  CAMBIUM_REQUIRE(decompose_all(s));
  return s;
}

Result<Schedule> default_schedule(Context& cx, const Program& program, const Machine& machine,
                                  Default which) {
  if (which == Default::Plain) return plain_schedule(cx, program);
  CAMBIUM_REQUIRE(program::check(cx, program, program::Stage::Lowered));
  CAMBIUM_TRY(const Space space, space_of(which));
  const Machine used = machine_of(which, machine);
  DraftOptions options;
  options.otherwise = Otherwise::Preferred;
  options.threads = std::max(machine.cores, 2);  // one thread runs parallel loops in order
  options.small_code = which != Default::Preferred;
  return generate(cx, program, used, space, options);
}

Result<Schedule> default_schedule(Context& cx, const Program& program, const Machine& machine) {
  Result<Schedule> first = default_schedule(cx, program, machine, kDefaults[0]);
  for (std::size_t i = 1; i < kDefaults.size() && !first.ok(); ++i) {
    Result<Schedule> next = default_schedule(cx, program, machine, kDefaults[i]);
    if (next.ok()) return next;
  }
  return first;
}

}  // namespace cambium::schedule

#include "schedule/initial_values.h"

#include "program/analysis.h"
#include "program/walk.h"

namespace cambium::schedule {

using program::Loop;
using program::Site;

Names blocks_of(const Program& program) {
  Names names;
  for (const Site& site : program::sites_of(program)) names.emplace_back(site.block->name);
  return names;
}

Status decompose_all(Schedule& schedule) {
  for (const Site& site : program::sites_of(schedule.program())) {
    if (site.block->body->init == nullptr) continue;
    // Earlier ones have changed the program around it, so it is looked up by name.
    const std::string block(site.block->name);
    const Loop* outermost = nullptr;
    for (const Site& now : program::sites_of(schedule.program())) {
      if (now.block->name != block) continue;
      for (const Loop* loop : now.loops) {
        if (outermost == nullptr && program::feeds_of(*loop, *now.block).reduce) outermost = loop;
      }
    }
    const std::string loop(outermost == nullptr ? "" : outermost->name());
    CAMBIUM_REQUIRE(schedule.apply(DecomposeReduction{block, loop}));
  }
  return Ok{};
}

}  // namespace cambium::schedule

#include "schedule/rules/initial_values.h"

#include "program/analysis.h"
#include "program/walk.h"

namespace cambium::schedule {

using program::Loop;
using program::Site;

Names blocks_of(const Program& program) {
  Names names;
  program::for_each_stmt(program, [&](program::Stmt s, const std::vector<const Loop*>&) {
    if (const program::Block* block = program::as_block(s)) names.emplace_back(block->name);
  });
  return names;
}

Status decompose_all(Schedule& schedule) {
  Names blocks;
  program::for_each_stmt(schedule.program(), [&](program::Stmt s, const std::vector<const Loop*>&) {
    const program::Block* block = program::as_block(s);
    if (block != nullptr && block->body->init != nullptr) blocks.emplace_back(block->name);
  });
  for (const std::string& block : blocks) {
    const Site site = program::find_site(schedule.program(), block);
    const Loop* outermost = nullptr;
    for (const Loop* loop : site.loops) {
      if (outermost == nullptr && program::feeds_of(*loop, *site.block).reduce) outermost = loop;
    }
    const std::string loop(outermost == nullptr ? "" : outermost->name());
    CAMBIUM_REQUIRE(schedule.apply(DecomposeReduction{block, loop}));
  }
  return Ok{};
}

}  // namespace cambium::schedule

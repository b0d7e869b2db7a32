// What is read row by row goes under the loop over rows of its readers.
#include "schedule/rules/kernel_rules.h"
#include "schedule/rules/sites.h"

namespace cambium::schedule {

using program::Buffer;
using program::Loop;
using program::Role;
using program::Site;

// The innermost loop of its readers under which the block does no more work than before.
Status fuse_rows(Draft& draft, const std::string& block) {
  const auto leave = [](const char* why) {
    return Rejection(Reason::NothingToDo, "fuse-rows", why);
  };
  const Site site = site_of(draft, block);
  const Buffer* target = site.block->body->target;
  if (target->role != Role::Local || is_vectorized(site)) return leave("it is tiled or an output");
  const std::vector<Site> sites = program::sites_of(draft.program());
  if (is_made_at_load(sites, target)) return leave("it is made at load");
  const auto readers = program::readers_of(sites, target);
  if (readers.empty()) return leave("no block reads it");
  for (std::size_t reader : readers) {
    if (is_vectorized(sites[reader])) return leave("its reader is tiled");
  }
  std::vector<const Loop*> common = sites[readers[0]].loops;
  for (std::size_t reader : readers) {
    std::erase_if(common, [&](const Loop* loop) {
      return !sites[reader].is_under(loop) || program::feeds_of(*loop, *sites[reader].block).reduce;
    });
  }
  for (auto loop = common.rbegin(); loop != common.rend(); ++loop) {
    if (site.is_under(*loop)) return leave("it is there already");
    const auto before = draft.schedule().mark();
    if (!draft.apply(ComputeAt{block, std::string((*loop)->name())}).ok()) continue;
    if (work_of(site_of(draft, block)) <= work_of(site)) return Ok{};
    draft.schedule().back_to(before);
  }
  return leave("every place would repeat work");
}

}  // namespace cambium::schedule

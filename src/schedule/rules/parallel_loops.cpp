// The work of an outer loop is shared among threads.
#include "schedule/rules/kernel_rules.h"
#include "schedule/rules/sites.h"

namespace cambium::schedule {

using program::Loop;
using program::Site;

namespace {

// Points below which threads cost more than they do.
constexpr std::int64_t kParallelWork = 1 << 17;

// The loops around the block that may be shared, outermost first: plain ones that feed no
// reduction, outside of all that do.
std::vector<const Loop*> shareable(const Site& site) {
  std::vector<const Loop*> loops;
  for (const Loop* loop : site.loops) {
    if (loop->how == program::LoopKind::Parallel) return {};
    if (loop->how == program::LoopKind::Unrolled) continue;
    if (loop->how != program::LoopKind::Serial) break;
    if (program::feeds_of(*loop, *site.block).reduce) break;
    loops.push_back(loop);
  }
  return loops;
}

}  // namespace

Status run_in_parallel(Draft& draft, const std::string& block) {
  const auto leave = [](const char* why) {
    return Rejection(Reason::NothingToDo, "parallel-loops", why);
  };
  if (draft.threads() < 2) return leave("there is one thread");
  const Site site = site_of(draft.program(), block);
  if (work_of(site) < kParallelWork) return leave("there is too little work");
  // The outermost loop that gives every thread its share, or else the longest.
  Names options;
  std::size_t best = 0;
  std::int64_t longest = 1;
  for (const Loop* loop : shareable(site)) {
    if (loop->extent() < 2) continue;
    if (longest < 2 * draft.threads() && loop->extent() > longest) {
      best = options.size();
      longest = loop->extent();
    }
    options.emplace_back(loop->name());
  }
  if (options.empty()) return leave("no loop can be shared");
  std::size_t chosen = best;
  if (options.size() > 1) {
    Ints weights(options.size(), 1);
    weights[best] = 4;
    chosen = draft.choose("loop", options, best, weights);
  }
  CAMBIUM_REQUIRE(draft.apply(Parallel{options[chosen]}));
  const std::int64_t extent = program::find_loop(draft.program(), options[chosen])->extent();
  Ints grains{1};
  for (const std::int64_t n : {2, 4, 8}) {
    if (extent >= 2 * n * draft.threads()) grains.push_back(n);
  }
  if (grains.size() == 1) return Ok{};
  const std::int64_t grain = draft.choose_number("grain", grains, 0);
  if (grain > 1) {
    CAMBIUM_REQUIRE(draft.apply(Annotate{Part::Loop, options[chosen], "grain", "", grain}));
  }
  return Ok{};
}

}  // namespace cambium::schedule

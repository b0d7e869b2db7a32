// The work of an outer loop is shared among threads.
#include "schedule/rules/kernel_rules.h"
#include "schedule/rules/parallel_work.h"
#include "schedule/rules/sites.h"

namespace cambium::schedule {

using program::Loop;
using program::Site;

namespace {

// Points from which they surely pay.
constexpr std::int64_t kCertainWork = 1 << 21;

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

// What may be shared: a loop, two that stand directly inside each other as one, or nothing.
struct Shares {
  std::vector<Names> loops;
  Names texts;
  Ints weights;
  std::size_t preferred = 0;

  void add(Names names, std::int64_t weight) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
    texts.push_back(text.empty() ? "nothing" : text);
    loops.push_back(std::move(names));
    weights.push_back(weight);
  }
};

Shares shares_of(const Site& site, int threads) {
  Shares shares;
  std::int64_t longest = 1;
  const auto loops = shareable(site);
  // The outermost loop that gives every thread its share, or else the longest.
  for (const Loop* loop : loops) {
    if (loop->extent() < 2) continue;
    if (longest < 2 * threads && loop->extent() > longest) {
      shares.preferred = shares.loops.size();
      longest = loop->extent();
    }
    shares.add({std::string(loop->name())}, 2);
  }
  if (shares.loops.empty()) return shares;
  shares.weights[shares.preferred] = 8;
  for (std::size_t i = 0; i + 1 < loops.size(); ++i) {
    if (loops[i]->body != loops[i + 1] || loops[i]->extent() < 2 || loops[i + 1]->extent() < 2) {
      continue;
    }
    shares.add({std::string(loops[i]->name()), std::string(loops[i + 1]->name())}, 2);
  }
  if (work_of(site) < kCertainWork) shares.add({}, 2);
  return shares;
}

}  // namespace

Status run_in_parallel(Draft& draft, const std::string& block) {
  const auto leave = [](const char* why) {
    return Rejection(Reason::NothingToDo, "parallel-loops", why);
  };
  if (draft.threads() < 2) return leave("only one thread is available");
  const Site site = site_of(draft, block);
  if (work_of(site) < kParallelWork) return leave("it has too little work");
  const Shares shares = shares_of(site, draft.threads());
  if (shares.loops.empty()) return leave("no loop can be shared");
  const std::size_t chosen =
      shares.loops.size() == 1
          ? 0
          : draft.choose("loops", shares.texts, shares.preferred, shares.weights);
  Names loops = shares.loops[chosen];
  if (loops.empty()) return Ok{};
  if (loops.size() > 1) {
    CAMBIUM_TRY(loops, draft.apply(Fuse{loops}));
  }
  CAMBIUM_REQUIRE(draft.apply(Parallel{loops[0]}));
  const std::int64_t extent = program::find_loop(draft.program(), loops[0])->extent();
  Ints grains{1};
  for (const std::int64_t n : {2, 4, 8}) {
    if (extent >= 2 * n * draft.threads()) grains.push_back(n);
  }
  if (grains.size() == 1) return Ok{};
  const std::int64_t grain = draft.choose_number("grain", grains, 0);
  if (grain == 1) return Ok{};
  CAMBIUM_REQUIRE(draft.apply(Annotate{Part::Loop, loops[0], "grain", "", grain}));
  return Ok{};
}

}  // namespace cambium::schedule

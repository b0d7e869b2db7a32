#include "schedule/rules/random_compute_location.h"

#include <algorithm>

#include "schedule/rules/sites.h"

namespace cambium::schedule {

using program::Loop;
using program::Role;
using program::Site;

namespace {

Rejection leave_there(const char* why) {
  return Rejection(Reason::NothingToDo, "random-compute-location", why);
}

bool is_alone_in_nest(const std::vector<Site>& sites, const Site& site) {
  const Loop* outermost = site.loops.front();
  return std::count_if(sites.begin(), sites.end(),
                       [&](const Site& other) { return other.is_under(outermost); }) == 1;
}

bool feeds_a_reduction(const std::vector<Site>& sites, const Loop& loop) {
  return std::any_of(sites.begin(), sites.end(), [&](const Site& site) {
    return site.is_under(&loop) && program::feeds_of(loop, *site.block).reduce;
  });
}

// The loops of the first reader that are worth computing at, outermost first.
Names loops_offered(const std::vector<Site>& sites, const std::vector<std::size_t>& readers) {
  std::vector<const Loop*> around;
  for (const Loop* loop : sites[readers[0]].loops) {
    const bool common = std::all_of(readers.begin(), readers.end(),
                                    [&](std::size_t r) { return sites[r].is_under(loop); });
    if (common) around.push_back(loop);
  }
  std::vector<bool> reduces;
  std::size_t last_spatial = 0;  // one past it
  for (std::size_t i = 0; i < around.size(); ++i) {
    reduces.push_back(feeds_a_reduction(sites, *around[i]));
    if (!reduces[i]) last_spatial = i + 1;
  }
  Names offered;
  bool within_reduction = false;
  for (std::size_t i = 0; i < last_spatial; ++i) {
    if (around[i]->extent() == 1) continue;
    if (within_reduction && !reduces[i]) break;
    within_reduction |= reduces[i];
    offered.emplace_back(around[i]->name());
  }
  return offered;
}

Status place(Draft& draft, const std::string& block) {
  const std::vector<Site> sites = program::sites_of(draft.program());
  const Site site = site_of(draft, block);
  const program::Body& body = *site.block->body;
  if (body.target->role != Role::Local || program::writers_of(sites, body.target).size() != 1) {
    return leave_there("its result is an output, or other blocks write it too");
  }
  if (is_made_at_load(sites, body.target)) return leave_there("it is made at load");
  if (site.loops.empty() || !is_alone_in_nest(sites, site))
    return leave_there("its place is fixed already");
  if (site.loops.size() > body.iterators.size()) return leave_there("it is tiled");
  const auto readers = program::readers_of(sites, body.target);
  if (readers.empty()) return leave_there("nothing reads it");

  Names places{"root"};
  for (std::string& loop : loops_offered(sites, readers)) places.push_back(std::move(loop));
  const auto before = draft.schedule().mark();
  const bool may_vanish = !is_reduction(body) && draft.apply(Inline{block}).ok();
  draft.schedule().back_to(before);
  if (may_vanish) places.emplace_back("inline");
  if (places.size() == 1) return leave_there("no other place is possible");

  const std::string chosen = draft.compute_location("place", block, places);
  if (chosen == "root") return Ok{};
  if (chosen == "inline") {
    CAMBIUM_REQUIRE(draft.apply(Inline{block}));
  } else {
    CAMBIUM_REQUIRE(draft.apply(ComputeAt{block, chosen}));
  }
  return Ok{};
}

}  // namespace

Rule random_compute_location_rule() {
  return {"random-compute-location", "choose where to compute blocks that are not tiled", place};
}

}  // namespace cambium::schedule

// A packed copy of an operand is made as a whole beforehand, or panel by panel under a loop of what
// reads it: attention then packs a head where it is used, in the thread that uses it, while it is
// near. What is constant is packed once, at load, and stays where it is.
#include <optional>

#include "schedule/rules/kernel_rules.h"
#include "schedule/rules/sites.h"

namespace cambium::schedule {

using program::Loop;
using program::Site;

namespace {

bool is_copy(const program::Body& body) {
  return body.combine == program::Combine::Assign &&
         body.value->kind == program::ScalarKind::Load && !body.value->indices.empty() &&
         body.target->role == program::Role::Local;
}

// The loops that stand around every block that reads the buffer, outermost first.
std::vector<const Loop*> loops_of_readers(const Program& program, const program::Buffer* buffer) {
  std::optional<std::vector<const Loop*>> common;
  for (const Site& site : program::sites_of(program)) {
    if (site.block->body->target == buffer || !program::touches(*site.block->body, buffer))
      continue;
    if (!common) {
      common.emplace(site.loops.begin(), site.loops.end());
      continue;
    }
    std::size_t same = 0;
    while (same < common->size() && same < site.loops.size() &&
           (*common)[same] == site.loops[same]) {
      ++same;
    }
    common->resize(same);
  }
  return common.value_or(std::vector<const Loop*>{});
}

}  // namespace

Status place_panels(Draft& draft, const std::string& block) {
  const auto leave = [](const char* why) {
    return Rejection(Reason::NothingToDo, "place-panels", why);
  };
  const Site site = site_of(draft, block);
  const program::Body& body = *site.block->body;
  if (!is_copy(body)) return leave("it does not copy");
  if (is_made_at_load(program::sites_of(draft.program()), body.target)) {
    return leave("it is made at load");
  }
  if (is_vectorized(site)) return leave("it has lanes");

  // Where nothing is copied twice.
  const std::int64_t work = work_of(site);
  Names places{"root"};
  std::size_t preferred = 0;
  const auto before = draft.schedule().mark();
  for (const std::string& loop : names_of(loops_of_readers(draft.program(), body.target))) {
    const Loop* around = program::find_loop(draft.program(), loop);
    if (around->how != program::LoopKind::Serial) break;
    if (around->extent() < 2) continue;
    const bool fits =
        draft.apply(ComputeAt{block, loop}).ok() && work_of(site_of(draft, block)) == work;
    if (fits) {
      const program::Buffer* panel = site_of(draft, block).block->body->target;
      const std::int64_t bytes = panel->elements() * size_of(panel->dtype);
      if (preferred == 0 && 4 * bytes <= draft.machine().l2_bytes) preferred = places.size();
      places.push_back(loop);
    }
    draft.schedule().back_to(before);
    if (!fits) break;
  }
  if (places.size() == 1) return leave("no loop of its readers needs only a part of it");
  const std::string place = draft.compute_location("place", block, places, preferred);
  if (place == places[0]) return leave("it is made as a whole");
  CAMBIUM_REQUIRE(draft.apply(ComputeAt{block, place}));
  return Ok{};
}

}  // namespace cambium::schedule

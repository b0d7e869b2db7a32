// A convolution of slabs of rows, each between zeros of its own: its data is copied with these
// zeros, so that a slab is an image like any other, or its products keep a condition.
#include "schedule/rules/contraction.h"
#include "schedule/rules/kernel_rules.h"
#include "schedule/rules/sites.h"

namespace cambium::schedule {

Status make_slab_images(Draft& draft, const std::string& block) {
  const program::Site site = site_of(draft, block);
  const program::Body& body = *site.block->body;
  if (!is_reduction(body) || is_vectorized(site) || condition_of(body) == nullptr) {
    return Rejection(Reason::NothingToDo, "slab-images", "it is not a sum under a condition");
  }
  const auto before = draft.schedule().mark();
  const bool is_possible = draft.apply(CachePadded{block}).ok();
  draft.schedule().back_to(before);
  if (!is_possible) {
    return Rejection(Reason::NothingToDo, "slab-images", "its condition does not describe padding");
  }
  if (draft.branch("slabs", {"images", "conditions"}, 0, {3, 1}) == 1) return Ok{};
  CAMBIUM_REQUIRE(draft.apply(CachePadded{block}));
  return Ok{};
}

}  // namespace cambium::schedule

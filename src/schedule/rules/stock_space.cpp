// The rules of the MetaSchedule paper, as it uses them for processors. Constants are kept in the
// order in which lanes read them, which MetaSchedule does after the search.
#include "schedule/rules/auto_inline.h"
#include "schedule/rules/factor_reduction.h"
#include "schedule/rules/merge_digits.h"
#include "schedule/rules/multi_level_tiling.h"
#include "schedule/rules/parallel_vectorize_unroll.h"
#include "schedule/rules/random_compute_location.h"
#include "schedule/rules/sites.h"
#include "schedule/rules/space.h"
#include "schedule/rules/tile_parts.h"
#include "schedule/rules/write_cache.h"

namespace cambium::schedule {
namespace {

Status pack(Draft& draft, const std::string& block) {
  const program::Site site = site_of(draft, block);
  const auto lane = lane_iterator(*site.block->body);
  if (!has_reuse(draft.context(), site) || !lane) {
    return Rejection(Reason::NothingToDo, "pack-constants",
                     "it has no reuse or no lanes to tile for");
  }
  pack_constants(draft, block, *lane);
  return Ok{};
}

}  // namespace

Space stock_space() {
  return {{
      auto_inline_rule(),
      rfactor_rule(),
      merge_digits_rule(),
      {"pack-constants", "pack constants in the order in which lanes read them", pack},
      multi_level_tiling_rule(),
      write_cache_rule(),
      random_compute_location_rule(),
      parallel_vectorize_unroll_rule(),
  }};
}

}  // namespace cambium::schedule

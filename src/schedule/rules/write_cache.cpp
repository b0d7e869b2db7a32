#include "schedule/rules/write_cache.h"

#include "schedule/rules/auto_inline.h"
#include "schedule/rules/multi_level_tiling.h"
#include "schedule/rules/sites.h"

namespace cambium::schedule {

using program::Block;
using program::Site;

namespace {

Rejection leave_uncached(const char* why) {
  return Rejection(Reason::NothingToDo, "write-cache", why);
}

// The block that takes the result of the reduction elsewhere, elementwise; "": there is none.
std::string taker_of(const Program& program, const program::Buffer* result) {
  if (result->role != program::Role::Local) return "";
  const Block* reader = only_reader(program, result);
  if (reader == nullptr || is_reduction(*reader->body) || !reads_in_order(*reader->body)) return "";
  return std::string(reader->name);
}

Status cache(Draft& draft, const std::string& block, const WriteCacheOptions& options) {
  const Site site = site_of(draft, block);
  if (!is_reduction(*site.block->body) || is_as_lowered(site))
    return leave_uncached("it is not tiled");
  const auto tiles = tiles_of(site, options.structure);
  if (!tiles) return leave_uncached("it is tiled in another structure");
  Names ways{"none"}, places{""};
  for (const std::size_t level : options.levels) {
    if (level == 0 || level > options.structure.find('R')) continue;
    ways.push_back("level " + std::to_string(level));
    places.push_back((*tiles)[level - 1].back());
  }
  const std::size_t way = draft.branch("level", ways);
  if (way == 0) return Ok{};
  std::string taker = taker_of(draft.program(), site.block->body->target);
  if (taker.empty()) {
    CAMBIUM_TRY(const Names made, draft.apply(CacheWrite{block}));
    taker = made[0];
  }
  CAMBIUM_REQUIRE(draft.apply(ReverseComputeAt{taker, places[way]}));
  return Ok{};
}

}  // namespace

Rule write_cache_rule(WriteCacheOptions options) {
  return {"write-cache", "collect results of tiled reductions tile by tile",
          [options = std::move(options)](Draft& draft, const std::string& block) {
            return cache(draft, block, options);
          }};
}

}  // namespace cambium::schedule

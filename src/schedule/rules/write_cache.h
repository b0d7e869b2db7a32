// write-cache: what a tiled reduction makes is collected in a local as large as a tile, and goes
// to where it belongs when the tile is complete. An elementwise block that alone reads the result
// does that on the way; where there is none, a copy is made. Whether, and at which tile, is a
// decision of structure: "none", "level 1" (within the first tiles), "level 2". Refuses NothingToDo
// where multi-level-tiling has not tiled, and what CacheWrite and ReverseComputeAt refuse.
#pragma once

#include <string>
#include <vector>

#include "schedule/rules/rule.h"

namespace cambium::schedule {

struct WriteCacheOptions {
  std::string structure = "SSRSRS";          // that blocks are tiled by
  std::vector<std::size_t> levels = {1, 2};  // those within a reduction are left out
};

Rule write_cache_rule(WriteCacheOptions options = {});

}  // namespace cambium::schedule

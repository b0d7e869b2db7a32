// write-cache: collects the results of a tiled reduction in a local as large as a tile, and writes
// them to their target when the tile is complete. An elementwise block that alone reads the result
// does this if there is one; otherwise a copy does. Whether to do this, and at which tile, is a
// structural decision: "none", "level 1" (within the first tiles) or "level 2". Refuses NothingToDo
// if multi-level-tiling has not tiled the block, and everything that CacheWrite and
// ReverseComputeAt refuse.
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

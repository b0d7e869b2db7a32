// multi-level-tiling: the loops of a reduction with reuse are split into tiles within tiles. The
// structure is a word over S and R, outermost tiles first. S stands for tiles of all spatial loops,
// R for tiles of all reduce loops. So "SSRSRS" has four levels of spatial tiles and two of reduce
// tiles. Sizes are decisions, one per iterator. Refuses NothingToDo if there is no reuse (see
// has_reuse), and what Split and Reorder refuse.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "program/walk.h"
#include "schedule/rules/rule.h"

namespace cambium::schedule {

struct TilingOptions {
  std::string structure = "SSRSRS";
  bool perfect = true;          // tiles divide their extents
  std::int64_t innermost = 64;  // the longest innermost tile
};

Rule multi_level_tiling_rule(TilingOptions options = {});

// Whether a lowered block reads elements again in other iterations: it reduces, each iterator has
// its own loop, no buffer is read at two places, and some read does not depend on every spatial
// iterator.
bool has_reuse(Context& cx, const program::Site& site);

// Whether each iterator has one loop, and these loops contain only this block.
bool is_as_lowered(const program::Site& site);

// The loops of each tile of a block that is tiled by this structure and has no other loops. Nothing
// if it is not. Loops of extent 1 belong to the first tile of their kind.
std::optional<std::vector<Names>> tiles_of(const program::Site& site, const std::string& structure);

}  // namespace cambium::schedule

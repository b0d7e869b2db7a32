// multi-level-tiling: the loops of a reduction with reuse are split into tiles within tiles. The
// structure is a word over S and R: "SSRSRS" is the tiles of all spatial loops, again, the outer
// tiles of all reduce loops, tiles of the spatial loops, the inner tiles of the reduce loops, and
// the innermost tiles of the spatial loops. Sizes are decisions, one per iterator. Refuses
// NothingToDo where there is no reuse (see has_reuse), and what Split and Reorder refuse.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "program/walk.h"
#include "schedule/rules/rule.h"

namespace cambium::schedule {

struct TilingOptions {
  std::string structure = "SSRSRS";
  bool perfect = true;          // tiles divide what they are tiles of
  std::int64_t innermost = 64;  // the longest innermost tile
};

Rule multi_level_tiling_rule(TilingOptions options = {});

// Whether the block, as lowered, reads something again in another iteration: it reduces, each
// iterator is one loop of its own, no buffer is read at two places, and a spatial iterator does not
// move one of the reads.
bool has_reuse(Context& cx, const program::Site& site);

// Whether each iterator is one loop, and nothing else stands in these loops.
bool is_as_lowered(const program::Site& site);

// The loops of each tile of a block that is tiled by this structure, and nothing else around it;
// nothing when it is not tiled so. Loops of extent 1 are in the first tile of their kind.
std::optional<std::vector<Names>> tiles_of(const program::Site& site, const std::string& structure);

}  // namespace cambium::schedule

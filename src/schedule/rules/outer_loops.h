// The loops around the register tile of a contraction: over panels of columns and over tiles of
// rows, each in up to two levels, so that what is read again stays in a near cache.
#pragma once

#include "schedule/rules/register_tile.h"
#include "schedule/trace/draft.h"

namespace cambium::schedule {

struct OuterLoops {
  Names loops;  // over panels and row tiles, outermost first
  Names cuts;   // of these, the outermost over panels and over row tiles, innermost first
  Names tile;   // loops of the epilogue within a tile: rows, vectors, lanes
  std::string around_blocks;  // what is outside of the loop over blocks; empty: nothing, or no such

  const std::string& innermost() const { return loops.back(); }
};

struct OuterLoopsOptions {
  bool within_rows = false;  // row tiles stay one loop
  std::string blocks;        // the loop over blocks of the reduction; empty: there is none
};

// Splits and reorders the loops of the epilogue, under the innermost of which the contraction then
// goes. Refuses NotAContraction and NotNested where the epilogue does not run over the result
// plainly.
Result<OuterLoops> tile_outer_loops(Draft& draft, const std::string& block,
                                    const std::string& epilogue, const RegisterTile& tile,
                                    const OuterLoopsOptions& options);

}  // namespace cambium::schedule

// The loops around the register tile of a contraction: over panels of columns and over tiles of
// rows, each in up to two levels, so that reused data stays in a near cache.
#pragma once

#include "schedule/rules/register_tile.h"
#include "schedule/trace/draft.h"

namespace cambium::schedule {

struct OuterLoops {
  Names loops;  // over panels and row tiles, outermost first
  Names cuts;   // of these, the outermost loop over panels and that over row tiles; the inner one
                // first
  Names tile;   // loops of the epilogue within a tile: rows, vectors, lanes
  std::string
      around_blocks;  // the loop outside of the loop over blocks; empty if either does not exist

  const std::string& innermost() const { return loops.back(); }
};

struct OuterLoopsOptions {
  bool within_rows = false;  // row tiles are one loop
  std::string blocks;        // the loop over blocks of the reduction; empty: there is none
};

// Splits and reorders the loops of the epilogue; the contraction then moves under the innermost of
// them. Refuses NotAContraction and NotNested if the epilogue does not have one plain loop per
// dimension of the result.
Result<OuterLoops> tile_outer_loops(Draft& draft, const std::string& block,
                                    const std::string& epilogue, const RegisterTile& tile,
                                    const OuterLoopsOptions& options);

}  // namespace cambium::schedule

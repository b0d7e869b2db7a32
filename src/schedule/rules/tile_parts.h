// Shared by the tiled schedules: the block that takes a result out of its registers, loops that
// become a register tile, and the cutting of tails.
#pragma once

#include <string>

#include "schedule/trace/draft.h"

namespace cambium::schedule {

// The elementwise block that alone reads the result of a reduction, each element once and at its
// own iterators. If there is none, makes a block that copies the result.
Result<std::string> epilogue_of(Draft& draft, const std::string& block);

// The last loop becomes lanes, the others are unrolled. Loops that are gone are passed over.
Status make_tile(Draft& draft, const Names& loops);

// The last iteration of a loop becomes a piece of its own where predicates depend on the loop, so
// that the others have none; in that piece the loops inside are treated alike.
Status cut_tail(Draft& draft, const std::string& loop);

// Whether a condition is always true in the iteration of a loop in which its axis has the value.
bool holds_at(Context& cx, program::Expr condition, program::Expr axis, std::int64_t value);

// Padding at the borders: where conditions inside the block's value are decided in the middle of a
// loop's range, the middle becomes a piece of its own, free of them.
Status cut_borders(Draft& draft, const std::string& block, const std::string& loop);

// Packs constants that the block reads with gaps between its lanes, so that lanes stand side by
// side: all lanes together, or in panels of a width with everything that is read for their lanes.
// Without panels, rows may be a power of two apart and then compete with the data for sets of a
// cache.
void pack_constants(Draft& draft, const std::string& block, std::size_t lane,
                    std::int64_t panel_width = 0);

// Reorders loops around the block and no other; those not named come first, in the order that they
// have.
Status put_innermost(Draft& draft, const std::string& block, const Names& innermost);

}  // namespace cambium::schedule

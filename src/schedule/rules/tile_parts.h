// Shared by the tiled schedules: the block that takes a result out of its registers, loops that
// become a register tile, and the cutting of tails.
#pragma once

#include <string>

#include "schedule/trace/draft.h"

namespace cambium::schedule {

// The elementwise block that is the only reader of a reduction's result and reads each element
// once, at its own iterators. If there is none, makes a block that copies the result.
Result<std::string> epilogue_of(Draft& draft, const std::string& block);

// After a layout with a dimension for each digit (index_digits.h): a copy of the result becomes the
// epilogue. It has an iterator for each digit, so that tiles may have tails. The old epilogue goes
// into the copy, or follows it where that is refused. Where a copy is refused, nothing changes;
// tiles must divide the columns then.
void copy_result_by_digits(Draft& draft, const std::string& block, std::string& epilogue,
                           const Names& together);

// Vectorizes the last loop and unrolls the others. Loops that no longer exist are skipped.
Status make_tile(Draft& draft, const Names& loops);

// If predicates depend on a loop, cuts off its last iteration, so that the other iterations have no
// predicate. The inner loops of the last iteration are treated in the same way.
Status cut_tail(Draft& draft, const std::string& loop);

// Whether a condition is always true when the axis of a loop has the value.
bool holds_at(Context& cx, program::Expr condition, program::Expr axis, std::int64_t value);

// Cuts a loop at the borders of padding: if the conditions in the block's value are always true in
// the middle of its range, the middle becomes a separate piece without them.
Status cut_borders(Draft& draft, const std::string& block, const std::string& loop);

// Packs constants that the block reads with gaps between lanes, so that lanes are contiguous:
// either all lanes together, or in panels of `panel_width` lanes, each with all elements that are
// read for its lanes. Without panels, rows may be a power of two apart and then compete with the
// data for cache sets.
void pack_constants(Draft& draft, const std::string& block, std::size_t lane,
                    std::int64_t panel_width = 0);

// Reorders the loops around the block: these become the innermost. The other loops come first and
// keep their order.
Status put_innermost(Draft& draft, const std::string& block, const Names& innermost);

}  // namespace cambium::schedule

// What the tiled schedules share: the block that takes a result out of its registers, loops that
// become a tile of registers, and the cutting of tails.
#pragma once

#include <string>

#include "schedule/schedule.h"

namespace cambium::schedule {

// The elementwise block that alone reads the result of a reduction, each element once and at its
// own iterators; a block that copies the result, made here, where there is none.
Result<std::string> epilogue_of(Schedule& s, const std::string& block);

// The last loop becomes lanes, the others are unrolled. Loops that are gone are passed over.
Status make_tile(Schedule& s, const Names& loops);

// The last iteration of a loop becomes a piece of its own where predicates depend on the loop, so
// that the others have none.
Status cut_tail(Schedule& s, const std::string& loop);

// Reorders loops around the block; those not named come first, in the order that they have.
Status put_innermost(Schedule& s, const std::string& block, const Names& innermost);

}  // namespace cambium::schedule

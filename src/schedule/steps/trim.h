// Simplifies a statement by facts that its loops decide. Removes predicates that always hold,
// iterations of inner loops in which no block runs, and conditions in values that are always true
// or always false. This makes the pieces of Partition and the tails of Split fast.
#pragma once

#include "schedule/steps/rebuild.h"

namespace cambium::schedule {

// The same meaning. Loops keep their names and get shorter; blocks keep their names. What never
// runs is gone; an empty sequence is left when that is all.
Stmt trimmed(Context& cx, Stmt s);
bool is_nothing(Stmt s);

}  // namespace cambium::schedule

// Simplifies a statement by facts that its loops decide. Removes predicates that always hold,
// iterations of inner loops in which no block runs, and conditions in values that are always true
// or always false. This makes the pieces of Partition and the tails of Split fast.
#pragma once

#include "schedule/steps/rebuild.h"

namespace cambium::schedule {

// The result has the same meaning. Loops may get shorter; loops and blocks keep their names.
// Statements that never run are removed; if none is left, the result is an empty sequence.
Stmt trimmed(Context& cx, Stmt s);
bool is_nothing(Stmt s);

}  // namespace cambium::schedule

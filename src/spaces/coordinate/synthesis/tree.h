// Canonical augmentation: of all states from which one step leads to a state, one is its parent:
// the state without the greatest step that no other step builds on. So the graph of states becomes
// a tree. Listing needs no memory of visited states, and counts add up.
#pragma once

#include <vector>

#include "spaces/coordinate/synthesis/reach.h"

namespace cambium::spaces::coordinate::synthesis {

// The state without its greatest removable step other than a REDUCE; unchanged if there is none.
State without_greatest(const Space& space, const State& state);

// The states with parent `id` that the rules allow and whose distance is at most `left` primitives,
// each once. `left` counts from the child on.
void children(Space& space, Reach& reach, StateId id, int left, std::vector<StateId>& out);

// All states with reductions only, including the one without any. Leaves out states that, by their
// sizes, views and weights cannot finish.
std::vector<StateId> stages(Space& space, Reach& reach);

}  // namespace cambium::spaces::coordinate::synthesis

// Canonical augmentation: of all states from which a step leads to a state, one is its parent, the
// one that lacks its greatest step that nothing stands on. So the graph of states becomes a tree:
// listing needs no memory of what was seen, and counts add up.
#pragma once

#include <vector>

#include "spaces/coordinate/synthesis/reach.h"

namespace cambium::spaces::coordinate::synthesis {

// Without its greatest removable step that is no REDUCE; the state itself if there is none.
State without_greatest(const Space& space, const State& state);

// The states whose parent is `id` that the rules allow and whose distance is not beyond `left`
// primitives, each once. `left` counts from them on.
void children(Space& space, Reach& reach, StateId id, int left, std::vector<StateId>& out);

// All states of reductions alone, the one without any included. Those that cannot be finished by
// views and weights as far as sizes tell are left out.
std::vector<StateId> stages(Space& space, Reach& reach);

}  // namespace cambium::spaces::coordinate::synthesis

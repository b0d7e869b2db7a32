// activation-layout: the order in memory of what one block hands to another. The dimension that is
// innermost stays so, vectors stay whole; one of the others may go outermost or next to it: which
// elements are neighbours decides how many pages and cache sets a loop touches. Weights are packed
// by the rules that read them, and what lives in registers or fits the first cache has no order
// worth choosing. As it is is preferred.
#pragma once

#include "schedule/draft.h"

namespace cambium::schedule {

// For the local that the block writes. Refuses NothingToDo.
Status choose_activation_layout(Draft& draft, const std::string& block);

}  // namespace cambium::schedule

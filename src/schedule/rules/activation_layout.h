// activation-layout: chooses the order in memory of the data between blocks. The innermost
// dimension stays innermost and vectors stay whole; one other dimension may go outermost or next to
// the innermost. This decides how many pages and cache sets a loop touches. Weights are packed by
// the rules that read them. Buffers in registers or in the first cache are left alone. The existing
// order is preferred.
#pragma once

#include "schedule/trace/draft.h"

namespace cambium::schedule {

// For the local that the block writes. Refuses NothingToDo.
Status choose_activation_layout(Draft& draft, const std::string& block);

}  // namespace cambium::schedule

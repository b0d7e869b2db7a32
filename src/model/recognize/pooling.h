// Sums, means and maxima of one operand over its own loops: a reduction if they read whole axes, a
// pooling if they read windows.
#pragma once

#include <optional>
#include <vector>

#include "model/recognize/emitter.h"

namespace cambium::model::recognition {

// `summed` by loop. fn is Sum, Mean or Max. Returns nothing if Pool cannot do it (dilated averages,
// pads above half a window, windows that overlap in other ways).
std::optional<Access> reduce(Emitter& emit, std::vector<Loop>& loops, const Access& access,
                             const std::vector<bool>& summed, ReduceFn fn);

}  // namespace cambium::model::recognition

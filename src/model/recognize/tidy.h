// Reduces copies after recognition: slices that divide an axis among them become one split (whose
// gradient is one concat; the gradient of a slice is as large as the slice's input), and
// consecutive pads and slices become one pad. Used by recognition.
#pragma once

#include <functional>

#include "model/recognize/recognize.h"

namespace cambium::model::recognition {

// Handles only the given nodes.
Recognized tidied(const Model& model, const std::function<bool(NodeId)>& asked);

}  // namespace cambium::model::recognition

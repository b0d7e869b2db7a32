// What is left of movement when everything has been recognized, with fewer copies: slices that
// share an axis out among them are one split (whose gradient is one concat; that of a slice is as
// large as what it is a slice of), and pads and slices in a row are one pad. Used by recognition.
#pragma once

#include <functional>

#include "model/recognize/recognize.h"

namespace cambium::model::recognition {

// Looks at the nodes that are asked for only.
Recognized tidied(const Model& model, const std::function<bool(NodeId)>& asked);

}  // namespace cambium::model::recognition

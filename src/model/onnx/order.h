// The nodes of a graph that its outputs need, each behind what it reads. ONNX asks files to be
// sorted; one that merely is not is sorted here, a real cycle is refused, as are values that are
// computed twice or nowhere.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/onnx/document.h"

namespace cambium::model::onnx_io {

using IsDefined = std::function<bool(const std::string&)>;

// `defined`: values that exist without any node of this graph (inputs, initializers, those of the
// graph around it). Already sorted nodes keep their order.
Result<std::vector<const NodeRecord*>> live_order(const Graph& graph, const IsDefined& defined);

std::string place_of(const NodeRecord& node);  // node 'conv1' (Conv)

}  // namespace cambium::model::onnx_io

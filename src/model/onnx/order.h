// The nodes of a graph that its outputs need, each after its inputs. ONNX requires sorted files.
// Unsorted files are sorted here; cycles are refused, and so are values that are computed twice or
// never.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/onnx/document.h"

namespace cambium::model::onnx_io {

using IsDefined = std::function<bool(const std::string&)>;

// `defined`: values that no node of this graph computes (inputs, initializers, values of the
// surrounding graph). Sorted nodes keep their order.
Result<std::vector<const NodeRecord*>> live_order(const Graph& graph, const IsDefined& defined);

std::string place_of(const NodeRecord& node);  // node 'conv1' (Conv)

}  // namespace cambium::model::onnx_io

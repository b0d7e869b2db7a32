// Resize and its predecessor Upsample; only nearest neighbour is supported, others are refused.
#pragma once

#include "base/result.h"
#include "model/onnx/node_context.h"

namespace cambium::model::onnx_io {

Status resize(NodeContext& n);            // opset 11 on
Status resize_by_scales(NodeContext& n);  // Upsample, and Resize of opset 10

}  // namespace cambium::model::onnx_io

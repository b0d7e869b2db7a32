// Resize and its predecessor Upsample. Nearest neighbour is an operator of a Model; linear and
// cubic resizing become products with constant matrices. Refuses antialias and tf_crop_and_resize.
#pragma once

#include "base/result.h"
#include "model/onnx/node_context.h"

namespace cambium::model::onnx_io {

Status resize(NodeContext& n);            // opset 11 on
Status resize_by_scales(NodeContext& n);  // Upsample, and Resize of opset 10

}  // namespace cambium::model::onnx_io

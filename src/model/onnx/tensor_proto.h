// Converts TensorProto to Tensor and back. Only decode.cpp, encode.cpp and tensor_proto.cpp include
// this header, so protobuf stays behind it.
#pragma once

#include <onnx/onnx_pb.h>

#include "base/result.h"
#include "model/onnx/document.h"
#include "model/onnx/external_data.h"

namespace cambium::model::onnx_io {

// Moves the bytes out of the message, so that a large model is not in memory twice.
Result<Tensor> take_tensor(onnx::TensorProto& proto, ExternalData& external);
void put_tensor(const Tensor& tensor, onnx::TensorProto& proto);
void put_external_tensor(const TensorType& type, const ExternalRange& range,
                         onnx::TensorProto& proto);

}  // namespace cambium::model::onnx_io

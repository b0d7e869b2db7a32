// TensorProto <-> Tensor. Only decode.cpp, encode.cpp and tensor_proto.cpp include this: it is the
// door behind which protobuf lives.
#pragma once

#include <onnx/onnx_pb.h>

#include "base/result.h"
#include "model/onnx/document.h"
#include "model/onnx/external_data.h"

namespace cambium::model::onnx_io {

// Takes the bytes out of the message, so that a large model is not held twice.
Result<Tensor> take_tensor(onnx::TensorProto& proto, ExternalData& external);
void put_tensor(const Tensor& tensor, onnx::TensorProto& proto);
void put_external_tensor(const TensorType& type, const ExternalRange& range,
                         onnx::TensorProto& proto);

}  // namespace cambium::model::onnx_io

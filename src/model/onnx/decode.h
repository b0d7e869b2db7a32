// Bytes of an ONNX file -> Document. Refuses whatever is not a sound file, before any of it gets a
// meaning: broken protobuf, tensors whose data do not fill their dimensions, names that are not
// UTF-8, element types and kinds of values that a Model cannot have. import.cpp calls it.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "model/onnx/document.h"

namespace cambium::model::onnx_io {

// `folder` is where external data may lie; empty: nowhere.
Result<Document> decode(std::string_view bytes, const std::filesystem::path& folder);

// One serialized TensorProto, as ONNX test data and tools store inputs.
Result<Tensor> decode_tensor(std::string_view bytes);

}  // namespace cambium::model::onnx_io

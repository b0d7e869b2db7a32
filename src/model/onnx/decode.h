// Decodes the bytes of an ONNX file to a Document. Refuses invalid files before interpreting them:
// broken protobuf, tensors whose data do not fill their dimensions, names that are not UTF-8, and
// element types and kinds of values that a Model cannot have. Called by import.cpp.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "model/onnx/document.h"

namespace cambium::model::onnx_io {

// `folder` may contain external data; an empty folder means that there is none.
Result<Document> decode(std::string_view bytes, const std::filesystem::path& folder);

// One serialized TensorProto, the format of inputs in ONNX test data and tools.
Result<Tensor> decode_tensor(std::string_view bytes);

}  // namespace cambium::model::onnx_io

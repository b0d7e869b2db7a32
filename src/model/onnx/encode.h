// Encodes a Document as the bytes of an ONNX file. The same Document gives the same bytes. Refuses
// more than 2 GiB in one file, the limit of protobuf. Called by export.cpp.
#pragma once

#include <string>

#include "base/result.h"
#include "model/onnx/document.h"

namespace cambium::model::onnx_io {

Result<std::string> encode(const Document& document);

}  // namespace cambium::model::onnx_io

// Document -> bytes of an ONNX file, the same bytes for the same Document. Refuses what protobuf
// cannot hold: more than 2 GiB in one file. export.cpp calls it.
#pragma once

#include <string>

#include "base/result.h"
#include "model/onnx/document.h"

namespace cambium::model::onnx_io {

Result<std::string> encode(const Document& document);

}  // namespace cambium::model::onnx_io

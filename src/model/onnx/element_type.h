// The numbers that ONNX files use for element types.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/dtype.h"

namespace cambium::model::onnx_io {

std::optional<DType> dtype_of_code(std::int64_t code);
std::int64_t code_of(DType dtype);
// For refusals: "strings", "complex64", "element type 99".
std::string describe_code(std::int64_t code);

}  // namespace cambium::model::onnx_io

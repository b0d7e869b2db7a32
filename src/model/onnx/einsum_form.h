// Converts einsum equations as numpy and ONNX write them (with spaces, an ellipsis for axes without
// a letter, no arrow if the output follows from the inputs) to the explicit form of a Model.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/tensor.h"

namespace cambium::model::onnx_io {

// Refuses equations that do not fit the ranks of the inputs, or need more letters than exist.
Result<std::string> explicit_einsum(std::string_view equation, std::span<const TensorType> inputs);

}  // namespace cambium::model::onnx_io

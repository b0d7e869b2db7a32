// ONNX writes einsum as numpy does: spaces, an ellipsis for axes without a letter, no arrow when
// the output follows from the inputs. A Model has only the explicit form.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/tensor.h"

namespace cambium::model::onnx_io {

// Refuses equations that do not fit the ranks of the inputs or need more letters than there are.
Result<std::string> explicit_einsum(std::string_view equation, std::span<const TensorType> inputs);

}  // namespace cambium::model::onnx_io

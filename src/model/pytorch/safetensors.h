// Weights as a safetensors file: a header in JSON, then the elements of all tensors in order. Every
// safetensors library reads it, and so do ten lines of Python in the exported PyTorch source.
// Refuses element types that the format lacks (UnsupportedType).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/tensor.h"

namespace cambium::model {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

// Writes the tensors in this order; names must differ.
Result<std::string> to_safetensors(const NamedTensors& tensors);

}  // namespace cambium::model

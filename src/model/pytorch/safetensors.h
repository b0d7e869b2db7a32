// Weights as a safetensors file: a header in JSON, then the elements of all tensors one behind
// another. Anyone's safetensors library reads it, and so do ten lines of Python that the PyTorch
// source carries itself. Refuses element types that the format does not have (UnsupportedType).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/tensor.h"

namespace cambium::model {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

// Tensors stand in this order; names must differ.
Result<std::string> to_safetensors(const NamedTensors& tensors);

}  // namespace cambium::model

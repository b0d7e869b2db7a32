// NumPy's .npy form of one tensor. Refuses (BadTensorData) what a Tensor cannot be: big-endian,
// structured or object elements, Fortran order, and sizes that do not match.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/tensor.h"

namespace cambium::engine {

Result<model::Tensor> parse_npy(std::string_view bytes);
// bf16, which NumPy does not have, is written as f32: every value is kept.
std::string to_npy(const model::Tensor& tensor);

}  // namespace cambium::engine

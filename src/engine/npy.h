// Reads and writes one tensor in NumPy's .npy format. Refuses (BadTensorData) what a Tensor cannot
// hold: big-endian, structured or object elements, Fortran order, and sizes that do not match.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/tensor.h"

namespace cambium::engine {

Result<model::Tensor> parse_npy(std::string_view bytes);
// NumPy has no bf16, so it is written as f32, which keeps every value.
std::string to_npy(const model::Tensor& tensor);

}  // namespace cambium::engine

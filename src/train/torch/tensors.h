// Converts between the tensors of a Model and those of libtorch, without loss in either direction.
#pragma once

#include "model/tensor.h"
#include "train/device.h"
#include "train/torch/torch.h"

namespace cambium::train {

torch::Device torch_device(const Device& device);
bool has_torch_type(DType type);           // libtorch has no unsigned numbers but u8
torch::ScalarType torch_type(DType type);  // of a type that it has

// Converts as a Cast does (model/convert.h): floating-point numbers become whole numbers toward
// zero, saturated to the type, and NaN becomes 0. libtorch's own conversion is undefined outside of
// the type.
torch::Tensor converted(const torch::Tensor& tensor, torch::ScalarType type);

torch::Tensor to_torch(const model::Tensor& tensor, const Device& device);
model::Tensor from_torch(const torch::Tensor& tensor);  // contiguous, on the CPU

}  // namespace cambium::train

// Between the tensors of a Model and libtorch's, without loss in either direction.
#pragma once

#include "model/tensor.h"
#include "train/device.h"
#include "train/torch/torch.h"

namespace cambium::train {

torch::Device torch_device(const Device& device);
bool has_torch_type(DType type);           // libtorch has no unsigned numbers but u8
torch::ScalarType torch_type(DType type);  // of one that it has

// As a Cast has it (model/convert.h): floating numbers become whole ones toward zero, as near as
// the type allows, NaN becomes 0. What libtorch's own conversion does outside of the type is
// undefined.
torch::Tensor converted(const torch::Tensor& tensor, torch::ScalarType type);

torch::Tensor to_torch(const model::Tensor& tensor, const Device& device);
model::Tensor from_torch(const torch::Tensor& tensor);  // contiguous, on the CPU

}  // namespace cambium::train

// Between the tensors of a Model and libtorch's, without loss in either direction.
#pragma once

#include "model/tensor.h"
#include "train/device.h"
#include "train/torch/torch.h"

namespace cambium::train {

torch::Device torch_device(const Device& device);
bool has_torch_type(DType type);           // libtorch has no unsigned numbers but u8
torch::ScalarType torch_type(DType type);  // of one that it has

torch::Tensor to_torch(const model::Tensor& tensor, const Device& device);
model::Tensor from_torch(const torch::Tensor& tensor);  // contiguous, on the CPU

}  // namespace cambium::train

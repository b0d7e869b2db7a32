// A kernel from a KernelProvider as a step of autograd: libtorch records the call, and its backward
// pass calls the kernel's. On the CPU, in f32; all arrays are made row-major first.
#pragma once

#include <vector>

#include "model/tensor.h"
#include "train/kernel_provider.h"
#include "train/torch/torch.h"

namespace cambium::train {

// Dimensions of outputs are those for the given inputs. Inputs that need no gradient are null in
// the kernel's backward call.
std::vector<torch::Tensor> provided_call(const ProvidedKernel& kernel,
                                         const std::vector<torch::Tensor>& inputs,
                                         const std::vector<model::Ints>& output_dims);

}  // namespace cambium::train

// The one place that includes libtorch; precompiled. It has tensors, autograd and devices, but not
// torch.h's modules, optimizers and data loaders, which we do not use and which cost seconds.
#pragma once

#include <torch/autograd.h>
#include <torch/cuda.h>
#include <torch/types.h>
#include <torch/utils.h>
#include <torch/version.h>

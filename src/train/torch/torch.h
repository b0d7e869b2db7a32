// libtorch, in the one place that includes it; precompiled. Tensors, autograd and devices: without
// torch.h's modules, optimizers and loaders of data, which we do not use and which cost seconds.
#pragma once

#include <torch/autograd.h>
#include <torch/cuda.h>
#include <torch/types.h>
#include <torch/utils.h>
#include <torch/version.h>

// libtorch, in the one place that includes it; precompiled. Tensors, autograd and devices: without
// torch.h's modules, optimizers and loaders of data, which we do not use and which cost seconds.
#pragma once

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#endif
#include <torch/autograd.h>
#include <torch/cuda.h>
#include <torch/types.h>
#include <torch/utils.h>
#include <torch/version.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

// Weight traffic: the additional time that the kernels of a network take to read their weights,
// compared with a kernel that is timed alone. A kernel that runs again and again finds its weights
// in the smallest cache that holds them. In a network, all other weights pass through the caches
// between two runs of a kernel, so the weights of a large network come from memory. Pure functions
// of sizes and of the measured bandwidths of a machine. Used by kernel_sum.h.
#pragma once

#include <cstdint>
#include <span>

#include "base/machine.h"

namespace cambium::trial {

struct KernelBytes {
  std::int64_t weights = 0;  // of one call
  std::int64_t others = 0;   // inputs and outputs of one call
  double calls = 1;          // each has weights of its own
};

// Seconds of one run of the network; 0 for a machine whose bandwidths are not known.
double weight_traffic_seconds(std::span<const KernelBytes> kernels, const Machine& machine,
                              int threads);

}  // namespace cambium::trial

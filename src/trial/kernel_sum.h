// KernelSum: estimates the time of a model as the sum of the times of its kernels.
// A table holds these times. This takes seconds per candidate, where measuring the latency takes
// minutes, because most kernels of a candidate also occur in others. A kernel that is timed alone
// finds its weights in caches; the time to read them from further away in a network is added
// (weight_traffic.h). Other costs between kernels are left out, so the sum is only an estimate of
// the latency.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "compile/lowered_model.h"
#include "trial/kernel_times.h"

namespace cambium::trial {

struct KernelSum {
  double seconds = 0;                   // of one run
  double traffic_seconds = 0;           // part of `seconds`: reading weights; 0 without ceilings
  double spread = 0;                    // relative; assumes that kernels vary independently
  std::int64_t calls = 0, kernels = 0;  // `kernels` counts distinct kernels
};

// Refuses what tasks_of and KernelTimes refuse. A model that computes nothing takes no time.
Result<KernelSum> kernel_sum(const compile::LoweredModel& lowered, int threads, KernelTimes& times,
                             const KernelTimes::Setting& setting);

}  // namespace cambium::trial

// The evaluator `kernel-sum`: estimates the time of a model as the sum of the times of its kernels.
// A table holds these times. This takes seconds per candidate, where measuring the latency takes
// minutes, because most kernels of a candidate also occur in others. A kernel that is timed alone
// finds its weights in caches; the time to read them from further away in a network is added
// (weight_traffic.h). Other costs between kernels are left out, so the sum is only an estimate of
// the latency.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "engine/search/evaluator.h"
#include "engine/search/kernel_times.h"
#include "model/model.h"

namespace cambium::engine {

struct KernelSum {
  double seconds = 0;                   // of one run
  double traffic_seconds = 0;           // part of `seconds`: reading weights; 0 without ceilings
  double spread = 0;                    // relative; assumes that kernels vary independently
  std::int64_t calls = 0, kernels = 0;  // `kernels` counts distinct kernels
};

// Refuses what lowering and KernelTimes refuse. A model that computes nothing takes no time.
Result<KernelSum> kernel_sum(const model::Model& model, int threads, KernelTimes& times,
                             const KernelTimes::Setting& setting);

// Options of a job: `threads`, `jobs`. The fidelity is the number of trials for each kernel. Gives
// `kernel_sum`, and the same as an estimate of `latency`.
Evaluator kernel_sum_evaluator();
std::string kernel_sum_version();

}  // namespace cambium::engine

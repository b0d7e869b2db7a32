// The evaluator `kernel-sum`: composes the time of a model from the times of its kernels, which a
// table holds. It needs seconds where measuring the latency of every candidate takes minutes: most
// kernels of a candidate are those of others. Kernels that are timed alone find their weights in
// caches; what it takes to read them from further away in a network is added (weight_traffic.h).
// The sum leaves out what else happens between kernels, so it is an estimate of the latency.
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
  double traffic_seconds = 0;           // part of that: of weights; 0 without ceilings
  double spread = 0;                    // relative, if those of the kernels are independent
  std::int64_t calls = 0, kernels = 0;  // kernels are distinct
};

// Refuses what lowering and KernelTimes refuse. A model that computes nothing takes no time.
Result<KernelSum> kernel_sum(const model::Model& model, int threads, KernelTimes& times,
                             const KernelTimes::Setting& setting);

// Options of a job: `threads`, `jobs`. The fidelity is the number of trials for each kernel. Gives
// `kernel_sum`, and the same as an estimate of `latency`.
Evaluator kernel_sum_evaluator();
std::string kernel_sum_version();

}  // namespace cambium::engine

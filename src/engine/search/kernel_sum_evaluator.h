// The evaluator `kernel-sum`: reads the options of a job, and keeps the table of kernel times
// (trial/kernel_sum.h) for the next job. Refuses what lowering and the table refuse.
#pragma once

#include <string>

#include "engine/search/evaluator.h"
#include "trial/kernel_times.h"

namespace cambium::engine {

// A table that tunes as `cambium tune` does.
trial::KernelTimes kernel_times();

// Options of a job: `threads`, `jobs`. The fidelity is the number of trials for each kernel. Gives
// `kernel_sum`, and the same as an estimate of `latency`.
Evaluator kernel_sum_evaluator();
std::string kernel_sum_version();

}  // namespace cambium::engine

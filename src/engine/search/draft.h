// Estimates the latency of a whole model with the draft cost model: the sum over its programs under
// their default schedules. Used if the latency cannot be measured; needs no LLVM.
#pragma once

#include "base/machine.h"
#include "base/result.h"
#include "model/model.h"

namespace cambium::engine {

// Seconds. Refuses what lowering refuses.
Result<double> draft_latency(const model::Model& model, const Machine& machine, int threads);

}  // namespace cambium::engine

// The estimate of the draft cost model for a whole model: the sum over its programs under their
// default schedules. Replaces the latency where it cannot be measured; needs no LLVM.
#pragma once

#include "base/machine.h"
#include "base/result.h"
#include "model/model.h"

namespace cambium::engine {

// Seconds. Refuses what lowering refuses.
Result<double> draft_latency(const model::Model& model, const Machine& machine, int threads);

}  // namespace cambium::engine

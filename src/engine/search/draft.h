// What the draft cost model says of a whole model: the time of its programs under their default
// schedules, summed. Stands in for the latency where nothing can be measured; needs no LLVM.
#pragma once

#include "base/machine.h"
#include "base/result.h"
#include "model/model.h"

namespace cambium::engine {

// Seconds. Refuses what lowering refuses.
Result<double> draft_latency(const model::Model& model, const Machine& machine, int threads);

}  // namespace cambium::engine

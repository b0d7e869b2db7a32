// Whether a model fits this machine, asked before it is run or its weights are written: a hostile
// file may ask for terabytes in one line.
#pragma once

#include "base/result.h"
#include "model/model.h"

namespace cambium::engine {

// All weights, and the activations of as many runs as happen at once (0: none). Refuses
// NotEnoughMemory.
Status check_memory(const model::Model& model, int runs);

}  // namespace cambium::engine

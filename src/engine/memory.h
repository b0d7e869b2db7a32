// Checks whether a model fits the memory of this machine, before it is run or its weights are
// written. A hostile file may ask for terabytes in one line.
#pragma once

#include "base/result.h"
#include "model/model.h"

namespace cambium::engine {

// Counts all weights, and the activations of `runs` concurrent runs. Refuses NotEnoughMemory.
Status check_memory(const model::Model& model, int runs);

}  // namespace cambium::engine

// Residual branches: where an addition joins what an operator sequence made with what went around
// it. Asked by initialization (the last norm of a branch) and by Fisher Potential (its end).
#pragma once

#include <vector>

#include "model/model.h"

namespace cambium::train {

// For every addition of two values that depend on the model's inputs: the one behind more nodes,
// which ends the branch; the other one is the shortcut. Of two that are equally deep, the first.
std::vector<model::Value> branch_ends(const model::Model& model);

}  // namespace cambium::train

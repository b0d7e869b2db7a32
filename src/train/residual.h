// Branches: where an addition or a concatenation joins the result of a sequence of operators with a
// value that bypassed it. Used by initialization (the last norm of a residual branch) and by Fisher
// Potential (the ends of both).
#pragma once

#include <vector>

#include "model/model.h"

namespace cambium::train {

// For every addition of two values that depend on the model's inputs: the value with more nodes
// before it, which ends the branch. The other one is the shortcut. If both are equally deep, the
// first counts as the branch.
std::vector<model::Value> branch_ends(const model::Model& model);

// For every concatenation inside a block: those of its inputs that the block computes, as a layer
// of DenseNet does. An input that enters the block bypasses it.
std::vector<model::Value> dense_branch_ends(const model::Model& model);

}  // namespace cambium::train

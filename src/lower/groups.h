// Which nodes become one program: a contraction with what follows it elementwise (convolution +
// batch norm + bias + activation + residual add; matmul + bias + gelu), softmax, layer norm,
// reductions and pooling each with what follows them, chains of elementwise operators and of
// movements. Every node but inputs and weights is in exactly one group; groups come in topological
// order, and the last node of a group is the only one that others read.
#pragma once

#include <vector>

#include "model/model.h"

namespace cambium::lower {

struct FusionGroup {
  std::vector<model::NodeId> nodes;  // in topological order
  model::NodeId anchor;              // the contraction or normalization; otherwise the last node
};

std::vector<FusionGroup> groups_of(const model::Model& model);

}  // namespace cambium::lower

// Which nodes become one program: a contraction with what stands around it elementwise
// (convolution + batch norm + bias + activation + residual add; matmul + bias + gelu), softmax,
// layer norm and their relatives each with their elementwise surroundings, chains of elementwise
// operators and of movements. Every node but inputs and weights is in exactly one group; groups
// come in topological order.
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

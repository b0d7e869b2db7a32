// Groups of nodes that become one program. A group is a contraction with the elementwise operators
// that follow it (convolution + batch norm + bias + activation + residual add; matmul + bias +
// gelu); a softmax, layer norm, reduction or pooling with its followers; or a chain of elementwise
// operators or movements. Every node except inputs and weights is in exactly one group. Groups are
// in topological order, and other groups read only the last node of a group.
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

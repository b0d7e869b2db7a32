// Receptive field: how far an element of a feature map looks back into the model's inputs, along
// each spatial axis. Feature maps are [N, C, spatial...]; the axes from the third on are spatial.
#pragma once

#include <cstdint>
#include <vector>

#include "model/model.h"

namespace cambium::model {

struct AxisField {
  std::int64_t size = 1;  // positions of the input that one element depends on, not clipped to it
  std::int64_t jump = 1;  // distance in the input between neighbouring elements

  friend bool operator==(const AxisField&, const AxisField&) = default;
};

// One entry per spatial axis. Empty where it has no meaning: the value depends on no input of rank
// 3 or more, an operator on the way is not a map from position to position (reshape, matmul,
// gather ...), or paths with different jumps meet.
using ReceptiveField = std::vector<AxisField>;

// Of the first output of each node, parallel to Model::nodes().
std::vector<ReceptiveField> receptive_fields(const Model& model);

}  // namespace cambium::model

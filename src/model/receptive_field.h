// Receptive field: how many positions of the model's inputs an element of a feature map depends on,
// along each spatial axis. Feature maps are [N, C, spatial...]; the axes from the third on are
// spatial.
#pragma once

#include <cstdint>
#include <vector>

#include "model/model.h"

namespace cambium::model {

struct AxisField {
  std::int64_t size = 1;  // input positions that one element depends on, not clipped to the input
  std::int64_t jump = 1;  // distance in the input between neighbouring elements

  friend bool operator==(const AxisField&, const AxisField&) = default;
};

// One entry per spatial axis. Empty if it is not defined: the value depends on no input of rank 3
// or more, an operator in between does not map positions to positions (reshape, matmul, gather
// ...), or paths with different jumps meet.
using ReceptiveField = std::vector<AxisField>;

// The receptive field of the first output of each node, parallel to Model::nodes().
std::vector<ReceptiveField> receptive_fields(const Model& model);

}  // namespace cambium::model

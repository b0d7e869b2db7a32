// Which nodes normalize: operators whose second input is a scale and whose third, if there is one,
// is a bias. Initialization, weight decay and the proxies treat scales and biases separately.
#pragma once

#include "model/model.h"

namespace cambium::train {

inline bool is_norm(const model::Node& node) {
  return node.as<model::BatchNorm>() != nullptr || node.as<model::LayerNorm>() != nullptr ||
         node.as<model::GroupNorm>() != nullptr;
}

}  // namespace cambium::train

// The operators of `cambium bench train`: convolutions of all kinds, products, and operators as
// synthesizers write them, each as a model with one input, in the place of the same convolution.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "model/zoo/composites.h"

namespace cambium::bench {

struct TrainOperator {
  std::string name;
  model::Model model;       // with Composites expanded
  std::int64_t macs = 0;    // that it needs, forward
  double bytes = 0;         // approximate memory as written, including gradients
  bool recognized = false;  // runs as the recognized operator; false: as written
};

Result<std::vector<TrainOperator>> train_operators(const model::zoo::ConvPlace& place);

// A 3x3 convolution with equal numbers of input and output channels and about as many MACs, on
// images of the same size.
TrainOperator convolution_of_macs(std::int64_t macs, const model::zoo::ConvPlace& place);

}  // namespace cambium::bench

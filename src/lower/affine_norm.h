// Batch norms at inference: a factor and a shift for each channel. Shared by the passes that fold
// batch norms into the weights before them.
#pragma once

#include <optional>
#include <vector>

#include "model/builder.h"

namespace cambium::lower {

using Doubles = std::vector<double>;

// x -> x * factor + shift, by channel.
struct AffineNorm {
  Doubles factor, shift;
};

// Nothing for a norm whose parameters are not all weights.
std::optional<AffineNorm> affine_of(const model::Builder& builder, const model::Node& norm);

// The elements, rounded to the type.
model::Tensor tensor_of(const model::TensorType& type, const Doubles& elements);

// Element i of a weight is multiplied with the factor of channel channel(i).
template <class Channel>
model::Tensor scaled(const model::Tensor& weight, const Doubles& factor, const Channel& channel) {
  Doubles elements = weight.to_doubles();
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] *= factor[channel(i)];
  return tensor_of(weight.type(), elements);
}

}  // namespace cambium::lower

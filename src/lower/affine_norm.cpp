#include "lower/affine_norm.h"

#include <cmath>

#include "model/reference/execute.h"

namespace cambium::lower {

std::optional<AffineNorm> affine_of(const model::Builder& builder, const model::Node& norm) {
  std::vector<Doubles> parameters;  // scale, bias, mean, variance
  for (std::size_t i = 1; i < norm.inputs.size(); ++i) {
    const model::Tensor* weight = builder.weight_of(norm.inputs[i]);
    if (weight == nullptr) return std::nullopt;
    parameters.push_back(weight->to_doubles());
  }
  AffineNorm affine;
  for (std::size_t c = 0; c < parameters[0].size(); ++c) {
    const double factor =
        parameters[0][c] / std::sqrt(parameters[3][c] + norm.as<model::BatchNorm>()->epsilon);
    affine.factor.push_back(factor);
    affine.shift.push_back(parameters[1][c] - parameters[2][c] * factor);
  }
  return affine;
}

model::Tensor tensor_of(const model::TensorType& type, const Doubles& elements) {
  const model::Tensor exact = model::Tensor::of<double>(type.dims, elements);
  const model::Op cast(model::Cast{type.dtype});
  return model::execute(cast, std::vector<model::Tensor>{exact}).value()[0];
}

}  // namespace cambium::lower

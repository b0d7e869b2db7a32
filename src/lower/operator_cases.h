// One case or several per operator, with its inputs: what lowering, schedules and code generators
// are tried on. Every operator of model/op.h is among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/model.h"

namespace cambium::lower {

struct OperatorCase {
  std::string name;  // letters, digits and _
  model::Op op;
  std::vector<model::Tensor> inputs;
  std::size_t first_weight = 99;  // inputs from this one on are weights
};

std::vector<OperatorCase> operator_cases();

// The model of one node; its inputs are those of `inputs` that are no weights.
model::Model model_of(const OperatorCase& given);

// Elements by a seed: floating ones between -3 and 3, whole ones between -9 and 9, or from 0 on
// where there is no sign.
model::Tensor random_tensor(DType dtype, model::Ints dims, std::uint64_t seed);

// The parts of the list.
std::vector<OperatorCase> convolution_cases();
std::vector<OperatorCase> product_cases();
std::vector<OperatorCase> elementwise_cases();
std::vector<OperatorCase> normalization_cases();
std::vector<OperatorCase> reduction_cases();
std::vector<OperatorCase> movement_cases();

}  // namespace cambium::lower

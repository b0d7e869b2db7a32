// Test cases for lowering, schedules and code generators: one or several per operator of
// model/op.h, with inputs.
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

// A model of this one node; its inputs are the members of `inputs` that are not weights.
model::Model model_of(const OperatorCase& given);

// Random elements from a seed: floating-point numbers between -3 and 3, whole numbers between -9
// and 9, or from 0 on for unsigned types.
model::Tensor random_tensor(DType dtype, model::Ints dims, std::uint64_t seed);

// The parts of the list.
std::vector<OperatorCase> convolution_cases();
std::vector<OperatorCase> product_cases();
std::vector<OperatorCase> elementwise_cases();
std::vector<OperatorCase> normalization_cases();
std::vector<OperatorCase> reduction_cases();
std::vector<OperatorCase> movement_cases();

}  // namespace cambium::lower

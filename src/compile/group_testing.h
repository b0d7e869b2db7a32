// Rewritten nests for tests: a convolution, a recipe, and the body that a space would give it,
// written with standard operators by hand.
#pragma once

#include <string>
#include <vector>

#include "lower/nest_form.h"
#include "model/builder.h"
#include "model/composite.h"

namespace cambium::compile {

struct NestCase {
  std::string name, recipe;
  std::int64_t batch = 1, ci = 8, co = 8, height = 8, taps = 3, stride = 1, pad = 1, groups = 1;
  std::vector<model::Ints> weights;  // dimensions, in the order of the program's constants
  // From x and the weights.
  model::Value (*body)(model::Builder& b, const NestCase& c, model::Value x,
                       const std::vector<model::Value>& w) = nullptr;

  model::Conv conv(std::int64_t of_groups = 1) const {
    return {{stride, stride}, {pad, pad, pad, pad}, {1, 1}, of_groups};
  }
  std::int64_t out_height() const { return (height + 2 * pad - taps) / stride + 1; }
};

// What follows the nest in the model.
enum class NestTail : std::uint8_t { None, Relu, Norm, Block };

// x, the nest, and behind it: nothing; a relu; a bias, a batch norm, a swish (which reads the
// nest's value twice) and, where the shape allows it, the sum with x; or a batch norm, the sum with
// a second input and a relu, as at the end of a residual block.
model::Model nest_model(const NestCase& c, NestTail tail);

std::vector<NestCase> nest_cases();

}  // namespace cambium::compile

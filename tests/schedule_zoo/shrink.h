// Operators of published networks made small enough for the interpreter: the same kind and
// attributes, fewer channels, pixels, rows and columns. What kernels, strides, padding and groups
// need stays. For the randomized tests of schedules over the zoo.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "model/op.h"

namespace cambium {

struct Shrunk {
  model::Op op;
  std::vector<model::TensorType> inputs;
};

// Refuses what shape inference refuses of the result.
Result<Shrunk> shrink(const model::Op& op, std::span<const model::TensorType> inputs);

}  // namespace cambium

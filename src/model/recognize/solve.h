// Turns a nest into operators: joins operands pairwise, in the order with the fewest
// multiplications. A transpose and a reshape complete the result.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/recognize/emitter.h"

namespace cambium::model::recognition {

struct Solution {
  Value value;
  Effort effort;
  std::vector<std::string> notes;
};

// fn: the function of the summed loops. Only a single operand may be averaged or maximized. Returns
// nothing if some step is not a known operator.
std::optional<Solution> solve(Emitter emit, Nest nest, ReduceFn fn);

}  // namespace cambium::model::recognition

// From a nest to operators: operands are joined two by two, in the order that costs the fewest
// multiplications, and what the last one lacks to be the result is a transpose and a reshape.
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

// fn: what the summed loops do; only one operand may be averaged or maximized over. Nothing if
// some step is no known operator.
std::optional<Solution> solve(Emitter emit, Nest nest, ReduceFn fn);

}  // namespace cambium::model::recognition

// The path to a given operator in a space: its steps from the output to the input, or the rule or
// limit that forbids it. It decides whether an operator is in the space without any sampling.
#pragma once

#include <string>
#include <vector>

#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/synthesis/weights.h"

namespace cambium::spaces::coordinate::synthesis {

struct Path {
  std::vector<std::string> steps;
  std::string forbidden_by;  // empty: the operator is in the space
  StateId state = kNoState;
  Choice choice;

  bool is_in_space() const { return forbidden_by.empty(); }
};

// Expects an operator of the space's problem, with operands before results.
Path path_to(Space& space, const Operator& op);

}  // namespace cambium::spaces::coordinate::synthesis

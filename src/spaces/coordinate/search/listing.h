// Lists the operators of a synthesis space one by one: the operators of synthesis/enumerate.h, for
// callers that cannot take a callback. A new listing gives the same operators in the same order.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/synthesis/reach.h"
#include "spaces/coordinate/synthesis/weights.h"

namespace cambium::spaces::coordinate {

class Listing {
 public:
  explicit Listing(std::unique_ptr<synthesis::Space> space);

  std::optional<Operator> next();  // nothing: that was all

 private:
  // Lists the ways to finish the state itself and puts its children on the stack.
  void visit(synthesis::StateId id);

  std::unique_ptr<synthesis::Space> space_;
  synthesis::Reach reach_;
  std::vector<synthesis::StateId> open_;  // the next one last
  // Of the state that is visited: choices, not operators, of which there may be many.
  std::optional<synthesis::Finishing> finishing_;
  std::vector<synthesis::Choice> ready_;  // the next one last
};

}  // namespace cambium::spaces::coordinate

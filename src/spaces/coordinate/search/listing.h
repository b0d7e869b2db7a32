// Lists the operators of a synthesis space one by one: those of synthesis/enumerate.h, for whoever
// cannot be called back. A listing that is made anew gives the same operators in the same order.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/synthesis/reach.h"

namespace cambium::spaces::coordinate {

class Listing {
 public:
  explicit Listing(std::unique_ptr<synthesis::Space> space);

  std::optional<Operator> next();  // nothing: that was all

 private:
  // Lists what the state itself gives and puts its children on the stack.
  void visit(synthesis::StateId id);

  std::unique_ptr<synthesis::Space> space_;
  synthesis::Reach reach_;
  std::vector<synthesis::StateId> open_;  // the next one last
  std::vector<Operator> ready_;           // likewise
};

}  // namespace cambium::spaces::coordinate

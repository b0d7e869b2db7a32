// What the zoo is made of, as small models of one operator or one fusion group each: every
// operator of every network (sizes shrunk, each distinct one once), and the groups of narrowed
// networks. For the randomized tests of schedules.
#pragma once

#include <string>
#include <vector>

#include "lower/lower.h"
#include "model/model.h"

namespace cambium {

struct ZooCase {
  std::string name;  // network and node
  model::Model model;
  std::vector<model::NodeId> nodes;  // to lower together
};

// Refuse what building, shrinking or typing refuses, with the node.
Result<std::vector<ZooCase>> zoo_operators();
Result<std::vector<ZooCase>> zoo_groups();

// The program of a case; with channels last when `turn` is odd.
Result<program::Program> lowered_in_turn(program::Context& cx, const ZooCase& given,
                                         std::uint64_t turn);

// A convolution of the zoo without groups and with the same padding on all sides, as the random
// neural sequences can take one.
struct ZooConv {
  std::int64_t kernel, stride, pad;
  friend auto operator<=>(const ZooConv&, const ZooConv&) = default;
};
Result<std::vector<ZooConv>> zoo_convolutions();

}  // namespace cambium

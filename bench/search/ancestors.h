// All states of synthesis on the ways to a given one, whatever the order of steps: what a tree has
// to offer that leads to recorded operators and nothing else.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "spaces/coordinate/synthesis/space.h"

namespace cambium::bench {

class Ancestors {
 public:
  explicit Ancestors(spaces::coordinate::synthesis::Space& space) : space_(space) {}

  // The state itself and all from which steps may lead to it.
  void add(spaces::coordinate::synthesis::StateId id);
  bool contains(spaces::coordinate::synthesis::StateId id) const;

 private:
  using State = spaces::coordinate::synthesis::State;
  using CoordId = spaces::coordinate::synthesis::CoordId;
  // Coordinates that are still to be read, and those that were expanded: what tells states apart.
  using Key = std::pair<std::vector<CoordId>, std::vector<CoordId>>;
  static Key key_of(const State& state);
  std::vector<State> undone(const State& state) const;
  std::vector<State> without_a_reduction(const State& stage) const;

  spaces::coordinate::synthesis::Space& space_;
  std::set<Key> known_;
};

}  // namespace cambium::bench

// All synthesis states from which steps lead to a given state, in any order of steps. A tree that
// offers only these states leads only to recorded operators.
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

  // The state itself and all its ancestors.
  void add(spaces::coordinate::synthesis::StateId id);
  bool contains(spaces::coordinate::synthesis::StateId id) const;

 private:
  using State = spaces::coordinate::synthesis::State;
  using CoordId = spaces::coordinate::synthesis::CoordId;
  // The identity of a state: the coordinates that must still be read, and the expanded ones.
  using Key = std::pair<std::vector<CoordId>, std::vector<CoordId>>;
  static Key key_of(const State& state);
  std::vector<State> undone(const State& state) const;
  std::vector<State> without_a_reduction(const State& stage) const;

  spaces::coordinate::synthesis::Space& space_;
  std::set<Key> known_;
};

}  // namespace cambium::bench

// Every operator of a space, each once up to the renaming of equal reductions; and how many there
// are, by the number of their primitives. Exhaustive: what is too much to list is stopped by the
// callback, what is too much to count by a number of states.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "spaces/coordinate/synthesis/tree.h"
#include "spaces/coordinate/synthesis/weights.h"

namespace cambium::spaces::coordinate::synthesis {

inline constexpr std::size_t kMaxPrimitives = 24;

// Calls use(state, finishing, choice) for every operator until it says false, or until there are
// more than kMostStates; false if not all were listed. Those that bounds show to be beyond the
// budgets are left out.
template <class Use>
bool enumerate_below(Space& space, Reach& reach, StateId id, Use& use, const Budgets* budgets) {
  if (space.states.count() > kMostStates) return false;
  const int left = space.limits.primitives - space.states.counts(id).all();
  const Finishing finishing(space, id, budgets);
  if (finishing.is_match()) {
    for (int weights = 0; weights <= std::min(left, space.limits.weights); ++weights) {
      if (!finishing.each(weights,
                          [&](const Choice& choice) { return use(id, finishing, choice); })) {
        return false;
      }
    }
    reach.statistics().pruned += finishing.pruned();
  }
  if (left == 0) return true;
  std::vector<StateId> below;
  children(space, reach, id, left - 1, below);
  for (const StateId child : below) {
    if (!enumerate_below(space, reach, child, use, budgets)) return false;
  }
  return true;
}

template <class Use>
bool enumerate(Space& space, Reach& reach, Use use, const Budgets* budgets = nullptr) {
  for (const StateId stage : stages(space, reach)) {
    if (!enumerate_below(space, reach, stage, use, budgets)) return false;
  }
  return true;
}

// How many operators are below each state of the tree: what uniform sampling needs.
class Census {
 public:
  // Refuses (TooLarge) when there are more states than that.
  static Result<Census> of(Space& space, Reach& reach, std::size_t most_states);

  std::uint64_t operators() const { return all_; }
  const std::array<std::uint64_t, kMaxPrimitives + 1>& by_size() const { return by_size_; }
  std::size_t states() const { return nodes_.size(); }

  // Each operator as likely as every other.
  struct Drawn {
    StateId state;
    Choice choice;
  };
  Drawn draw(Space& space, Rng& rng) const;

 private:
  struct Node {
    StateId state = kNoState;
    std::array<std::uint32_t, kMaxWeights + 1> choices{};  // by number of weights
    std::uint64_t until = 0;                               // operators of all nodes up to this one
  };

  bool visit(Space& space, Reach& reach, StateId id, std::size_t most_states);

  std::vector<Node> nodes_;
  std::uint64_t all_ = 0;
  std::array<std::uint64_t, kMaxPrimitives + 1> by_size_{};
};

}  // namespace cambium::spaces::coordinate::synthesis

// Lists every operator of a space once, up to the renaming of equal reductions, and counts
// operators by their number of primitives. The callback stops a list that is too long; a limit on
// states stops a count.
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

// Calls use(state, finishing, choice) for every operator until it returns false or there are more
// than kMostStates states. Returns false if it did not list all. Skips operators that bounds show
// to be beyond the budgets.
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

// The number of operators below each state of the tree, for uniform sampling.
class Census {
 public:
  // Refuses (TooLarge) a space with more states than this.
  static Result<Census> of(Space& space, Reach& reach, std::size_t most_states);

  std::uint64_t operators() const { return all_; }
  const std::array<std::uint64_t, kMaxPrimitives + 1>& by_size() const { return by_size_; }
  std::size_t states() const { return nodes_.size(); }

  // A random operator; all are equally likely.
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

// Reachability: whether a state can be finished in the steps that are left. The answer is exact,
// including rules and limits. A search over hash-consed states finds it, with the shape distance as
// its bound, and remembers what it learns. Sampling that asks it meets no dead ends of shape or of
// length.
#pragma once

#include <optional>
#include <vector>

#include "spaces/coordinate/synthesis/distance.h"
#include "spaces/coordinate/synthesis/primitives/primitive.h"

namespace cambium::spaces::coordinate::synthesis {

struct ReachStatistics {
  std::uint64_t applications = 0;  // primitives applied after the rules allowed them
  std::uint64_t refused = 0;       // steps refused by a rule
  std::uint64_t far = 0;           // steps refused by the distance before they were applied
  std::uint64_t pruned = 0;        // choices of weights refused by bounds
  std::uint64_t asked = 0;         // questions about the fate of a state
  std::uint64_t searched = 0;      // questions for which the state had to be expanded
  std::uint64_t given_up = 0;      // questions that exhausted the patience
};

// Whether there is a coordinate of the right size for every axis of the input. Most states fail
// here.
bool may_match(const Space& space, std::span<const CoordId> data);

enum class Fate : std::uint8_t {
  Finishes,
  Dead,
  Unknown,  // the patience was exhausted
};

class Reach {
 public:
  // `patience`: how many primitives one question may apply; 0: no limit.
  explicit Reach(Space& space, int patience = 0)
      : space_(space), distances_(space), patience_(patience) {}

  // Whether views, EXPANDs and weights can finish the state in `left` more primitives.
  Fate fate(StateId id, int left);
  bool can_finish(StateId id, int left) { return fate(id, left) == Fate::Finishes; }
  // As far as sizes and limits of reshapes can tell.
  int least(StateId id) { return distances_.least(space_.states.unpack(id)); }
  // Weights that a state needs if it is finished as it is; none if it cannot be.
  std::optional<int> weights_needed(StateId id);

  Distances& distances() { return distances_; }
  ReachStatistics& statistics() { return statistics_; }
  std::size_t bytes() const {
    return weights_.capacity() + given_up_.capacity() + distances_.bytes();
  }

 private:
  // Whether it might, as far as the distance and what was learned tell.
  bool is_near(StateId id, int left);
  bool ask(StateId id, int left);
  bool search(StateId id, int left);
  bool search(StateId id, const State& state, std::span<const Step> steps, int left);
  void note_dead(StateId id, int left);
  bool conclude(StateId id, int left);
  bool is_tired(int more);

  Space& space_;
  Distances distances_;
  ReachStatistics statistics_;
  int patience_, applied_ = 0;          // allowed, and used by the question at hand
  std::vector<std::uint8_t> weights_;   // of each state: 0 not asked, 1 never, 2 + number
  std::vector<std::uint8_t> given_up_;  // of each state: the steps for which it was given up
};

}  // namespace cambium::spaces::coordinate::synthesis

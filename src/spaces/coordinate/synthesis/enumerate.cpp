#include "spaces/coordinate/synthesis/enumerate.h"

#include <algorithm>

namespace cambium::spaces::coordinate::synthesis {

bool Census::visit(Space& space, Reach& reach, StateId id, std::size_t most_states) {
  if (space.states.count() > most_states || space.sizes.is_full()) return false;
  const int primitives = space.states.counts(id).all();
  const int left = space.limits.primitives - primitives;
  const Finishing finishing(space, id);
  if (finishing.is_match()) {
    Node node;
    node.state = id;
    std::uint64_t sum = 0;
    for (int weights = 0; weights <= std::min(left, space.limits.weights); ++weights) {
      std::uint32_t& count = node.choices[static_cast<std::size_t>(weights)];
      finishing.each(weights, [&](const Choice&) { return ++count, true; });
      by_size_[static_cast<std::size_t>(primitives + weights)] += count;
      sum += count;
    }
    if (sum > 0) {
      all_ += sum;
      node.until = all_;
      nodes_.push_back(node);
    }
  }
  if (left == 0) return true;
  std::vector<StateId> below;
  children(space, reach, id, left - 1, below);
  for (const StateId child : below) {
    if (!visit(space, reach, child, most_states)) return false;
  }
  return true;
}

Result<Census> Census::of(Space& space, Reach& reach, std::size_t most_states) {
  Census census;
  for (const StateId stage : stages(space, reach)) {
    if (!census.visit(space, reach, stage, most_states)) {
      CAMBIUM_REQUIRE(space.complete());
      return Rejection(Reason::TooLarge, "the space", "",
                       static_cast<std::int64_t>(space.states.count()),
                       static_cast<std::int64_t>(most_states));
    }
  }
  CAMBIUM_REQUIRE(space.complete());
  return census;
}

Census::Drawn Census::draw(Space& space, Rng& rng) const {
  CAMBIUM_CHECK(all_ > 0, "nothing to draw from");
  const std::uint64_t at = rng.below(all_);
  const auto node = std::upper_bound(nodes_.begin(), nodes_.end(), at,
                                     [](std::uint64_t n, const Node& x) { return n < x.until; });
  std::uint64_t rest = node->until - 1 - at;
  const Finishing finishing(space, node->state);
  Drawn drawn{node->state, {}};
  for (int weights = 0; weights <= static_cast<int>(kMaxWeights); ++weights) {
    const std::uint64_t count = node->choices[static_cast<std::size_t>(weights)];
    if (rest >= count) {
      rest -= count;
      continue;
    }
    finishing.each(weights, [&](const Choice& choice) {
      drawn.choice = choice;
      return rest-- != 0;
    });
    break;
  }
  return drawn;
}

}  // namespace cambium::spaces::coordinate::synthesis

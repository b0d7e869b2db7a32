#include "spaces/coordinate/synthesis/reach.h"

#include <algorithm>

#include "spaces/coordinate/synthesis/primitives/all.h"
#include "spaces/coordinate/synthesis/rules/rules.h"
#include "spaces/coordinate/synthesis/weights.h"

namespace cambium::spaces::coordinate::synthesis {

bool may_match(const Space& space, std::span<const CoordId> data) {
  for (const SizeId wanted : space.input) {
    std::size_t axes = 0, coords = 0;
    for (const SizeId other : space.input) axes += other == wanted;
    for (const CoordId c : data) coords += space.coordinates.size(c) == wanted;
    if (coords < axes) return false;
  }
  return true;
}

std::optional<int> Reach::weights_needed(StateId id) {
  if (!may_match(space_, space_.states.data(id))) return std::nullopt;
  if (weights_.size() <= id) weights_.resize(id + id / 2 + 64, 0);
  if (weights_[id] == 0) {
    const Finishing finishing(space_, id);
    const std::optional<int> needed = finishing.least_weights(space_.limits.weights);
    weights_[id] = static_cast<std::uint8_t>(needed ? 2 + *needed : 1);
  }
  if (weights_[id] == 1) return std::nullopt;
  return weights_[id] - 2;
}

Fate Reach::fate(StateId id, int left) {
  if (id < given_up_.size() && given_up_[id] >= left && space_.states.need(id).most > left) {
    return Fate::Unknown;
  }
  applied_ = 0;
  if (ask(id, left)) return Fate::Finishes;
  if (!is_tired(0)) return Fate::Dead;
  ++statistics_.given_up;
  if (given_up_.size() <= id) given_up_.resize(id + id / 2 + 64, 0);
  given_up_[id] = static_cast<std::uint8_t>(left);
  return Fate::Unknown;
}

bool Reach::is_near(StateId id, int left) {
  ++statistics_.asked;
  const States::Need known = space_.states.need(id);
  if (known.most <= left) return true;
  if (known.least > left) return false;
  const int least = distances_.least(space_.states.unpack(id));
  if (least <= left) return true;
  space_.states.need(id).least = static_cast<std::uint8_t>(std::max<int>(known.least, least));
  return false;
}

void Reach::note_dead(StateId id, int left) {
  auto& known = space_.states.need(id).least;
  known = static_cast<std::uint8_t>(std::max<int>(known, left + 1));
}

bool Reach::ask(StateId id, int left) {
  if (!is_near(id, left)) return false;
  return space_.states.need(id).most <= left || search(id, left);
}

bool Reach::search(StateId id, int left) {
  ++statistics_.searched;
  if (is_tired(0)) return false;
  if (const std::optional<int> weights = weights_needed(id)) {
    auto& most = space_.states.need(id).most;
    most = static_cast<std::uint8_t>(std::min<int>(most, *weights));
    if (*weights <= left) return true;
  }
  const State state = space_.states.unpack(id);
  Steps steps;
  const int weight = space_.limits.weight_free ? 0 : 1;
  if (left > weight) offer_views(space_, state, steps);
  // MERGEs come last, because there are many and they are rarely needed.
  const auto merges = std::stable_partition(steps.begin(), steps.end(), [](const Step& step) {
    return step.kind != PrimitiveKind::Merge;
  });
  return search(id, state, {steps.begin(), merges}, left) ||
         search(id, state, {merges, steps.end()}, left) || conclude(id, left);
}

bool Reach::search(StateId id, const State& state, std::span<const Step> steps, int left) {
  struct Child {
    int least;
    StateId id;
  };
  std::vector<Child> children;
  for (const Step& step : steps) {
    if (forbidding(space_, state, step) != nullptr) {
      ++statistics_.refused;
      continue;
    }
    if (is_tired(1)) return false;
    const int least = distances_.least(state, step);
    if (least > left - 1) {
      ++statistics_.far;
      continue;
    }
    ++statistics_.applications;
    children.push_back({least, apply(space_, state, step)});
  }
  std::sort(children.begin(), children.end(),
            [](const Child& a, const Child& b) { return a.least < b.least; });
  for (const Child& child : children) {
    if (!ask(child.id, left - 1)) continue;
    const int most = 1 + space_.states.need(child.id).most;
    auto& known = space_.states.need(id).most;
    known = static_cast<std::uint8_t>(std::min<int>(known, most));
    return true;
  }
  return false;
}

bool Reach::is_tired(int more) {
  applied_ += more;
  return patience_ > 0 && applied_ > patience_;
}

// No step worked, so this many steps are not enough.
bool Reach::conclude(StateId id, int left) {
  if (!is_tired(0)) note_dead(id, left);  // else nothing was proved
  return false;
}

}  // namespace cambium::spaces::coordinate::synthesis

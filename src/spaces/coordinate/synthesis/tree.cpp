#include "spaces/coordinate/synthesis/tree.h"

#include <algorithm>

#include "spaces/coordinate/synthesis/primitives/all.h"
#include "spaces/coordinate/synthesis/rules/rules.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

using Kind = CoordinateKind;

// The other half of a MERGE if the state holds it.
CoordId other_half(const Space& space, const State& state, const Coord& high) {
  for (const CoordId c : state.data) {
    const Coord& low = space.coordinates[c];
    if (low.kind == Kind::MergeLow && low.first == high.first && low.parameter == high.parameter) {
      return c;
    }
  }
  return kNoCoord;
}

}  // namespace

State without_greatest(const Space& space, const State& state) {
  State undone = state;
  if (!state.expanded.empty()) {  // EXPANDs are greater than all others
    undone.data.push_back(state.expanded.back());
    undone.expanded.resize(state.expanded.size() - 1);
    return undone;
  }
  // Keys rise with the kinds of coordinates; the list is sorted by them.
  for (std::size_t i = state.data.size(); i-- > 0;) {
    const CoordId id = state.data[i];
    const Coord& c = space.coordinates[id];
    if (c.first == kNoCoord || c.kind == Kind::MergeLow) continue;
    CoordId low = kNoCoord;
    if (c.kind == Kind::MergeHigh) {
      low = other_half(space, state, c);
      if (low == kNoCoord) continue;
    }
    use_up(undone, id);
    if (low != kNoCoord) use_up(undone, low);
    undone.data.push_back(c.first);
    if (c.second != kNoCoord) undone.data.push_back(c.second);
    return undone;
  }
  return undone;
}

void children(Space& space, Reach& reach, StateId id, int left, std::vector<StateId>& out) {
  const State state = space.states.unpack(id);
  Steps steps;
  offer_views(space, state, steps);
  out.clear();
  for (const Step& step : steps) {
    if (forbidding(space, state, step) != nullptr) {
      ++reach.statistics().refused;
      continue;
    }
    if (reach.distances().least(state, step) > left) {
      ++reach.statistics().far;
      continue;
    }
    ++reach.statistics().applications;
    const StateId child = apply(space, state, step);
    const State next = space.states.unpack(child);
    State parent = without_greatest(space, next);
    space.states.canonicalize(parent);
    if (parent.data == state.data && parent.expanded == state.expanded) out.push_back(child);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
}

std::vector<StateId> stages(Space& space, Reach& reach) {
  std::vector<StateId> all = {space.root}, good;
  Steps steps;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const State state = space.states.unpack(all[i]);
    const int left = space.limits.primitives - state.counts.all();
    if (reach.distances().least(state) <= left) good.push_back(all[i]);
    steps.clear();
    if (left > 1) offer_reductions(space, state, steps);
    for (const Step& step : steps) all.push_back(apply(space, state, step));
  }
  return good;
}

}  // namespace cambium::spaces::coordinate::synthesis

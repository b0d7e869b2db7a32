#include "spaces/coordinate/synthesis/primitives/expand.h"

#include <algorithm>

namespace cambium::spaces::coordinate::synthesis {
namespace {

bool is_half(const Coord& c) {
  return c.kind == CoordinateKind::MergeHigh || c.kind == CoordinateKind::MergeLow;
}

bool has_unfold(const Space& space, CoordId c) {
  if (c == kNoCoord) return false;
  const Coord& it = space.coordinates[c];
  return it.kind == CoordinateKind::Unfold || has_unfold(space, it.first) ||
         has_unfold(space, it.second);
}

void offer(Space& space, const State& state, Steps& steps) {
  offer_each(state, PrimitiveKind::Expand, steps, [&](CoordId a) {
    const Coord& c = space.coordinates[a];
    if (!is_half(c)) return c.kind == CoordinateKind::Output;
    return !is_last_half(space, state, a) || !has_unfold(space, a);
  });
}

void apply(Space&, const Step& step, State& state) {
  use_up(state, step.first);
  state.expanded.push_back(step.first);
}

}  // namespace

bool is_last_half(const Space& space, const State& state, CoordId id) {
  const Coord& c = space.coordinates[id];
  return is_half(c) &&
         std::any_of(state.expanded.begin(), state.expanded.end(), [&](CoordId other) {
           const Coord& o = space.coordinates[other];
           return is_half(o) && o.kind != c.kind && o.first == c.first &&
                  o.parameter == c.parameter;
         });
}

const Primitive kExpand = {
    .kind = PrimitiveKind::Expand,
    .parameter = "",
    .bottom = "[i]: [C]",
    .top = "[]: []",
    .top_down = "repeat or up-sample",
    .offer = offer,
    .apply = apply,
};

}  // namespace cambium::spaces::coordinate::synthesis

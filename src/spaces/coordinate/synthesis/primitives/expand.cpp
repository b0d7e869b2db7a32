#include "spaces/coordinate/synthesis/primitives/expand.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

void offer(Space& space, const State& state, Steps& steps) {
  offer_each(state, PrimitiveKind::Expand, steps, [&](CoordId a) {
    const CoordinateKind kind = space.coordinates[a].kind;
    return kind == CoordinateKind::Output || kind == CoordinateKind::MergeHigh ||
           kind == CoordinateKind::MergeLow;
  });
}

void apply(Space&, const Step& step, State& state) {
  use_up(state, step.first);
  state.expanded.push_back(step.first);
}

}  // namespace

const Primitive kExpand = {
    PrimitiveKind::Expand, "EXPAND",         "",    "[i]: [C]", "[]: []", "repeat or up-sample",
    &Counts::expands,      &Limits::expands, offer, apply};

}  // namespace cambium::spaces::coordinate::synthesis

// SHIFT. Up: [i] -> [(i + 1) % N]. Down: an axis is rolled by one.
#include "spaces/coordinate/synthesis/primitives/primitive.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

void offer(Space& space, const State& state, Steps& steps) {
  offer_each(state, PrimitiveKind::Shift, steps, [&](CoordId a) { return !is_strided(space, a); });
}

void apply(Space& space, const Step& step, State& state) {
  use_up(state, step.first);
  state.data.push_back(space.coordinates.shift(step.first));
}

}  // namespace

const Primitive kShift = {
    .kind = PrimitiveKind::Shift,
    .parameter = "",
    .bottom = "[i]: [N]",
    .top = "[(i + 1) % N]: [N]",
    .top_down = "roll along a dimension",
    .offer = offer,
    .apply = apply,
};

}  // namespace cambium::spaces::coordinate::synthesis

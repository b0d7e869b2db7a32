#include "spaces/coordinate/synthesis/primitives/shift.h"

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

const Primitive kShift = {PrimitiveKind::Shift,
                          "SHIFT",
                          "",
                          "[i]: [N]",
                          "[(i + 1) % N]: [N]",
                          "roll along a dimension",
                          &Counts::shifts,
                          &Limits::shifts,
                          offer,
                          apply};

}  // namespace cambium::spaces::coordinate::synthesis

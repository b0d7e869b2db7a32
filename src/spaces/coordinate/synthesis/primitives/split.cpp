#include "spaces/coordinate/synthesis/primitives/split.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

void offer(Space& space, const State& state, Steps& steps) {
  offer_pairs(state, PrimitiveKind::Split, steps, [&](CoordId a, CoordId b) {
    return !is_strided(space, a) && !is_strided(space, b) &&
           space.sizes.legal(
               space.sizes.product(space.coordinates.size(a), space.coordinates.size(b)));
  });
}

void apply(Space& space, const Step& step, State& state) {
  use_up(state, step.first);
  use_up(state, step.second);
  state.data.push_back(space.coordinates.split(step.first, step.second));
}

}  // namespace

const Primitive kSplit = {PrimitiveKind::Split,
                          "SPLIT",
                          "",
                          "[i, j]: [G, B]",
                          "[B*i + j]: [G*B]",
                          "partition into blocks",
                          &Counts::splits,
                          &Limits::splits,
                          offer,
                          apply};

}  // namespace cambium::spaces::coordinate::synthesis

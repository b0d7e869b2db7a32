// SPLIT. Up: two coordinates become one, [i, j] -> [B*i + j]. Down: an axis is cut into blocks of
// B. Offered if the product is a legal size.
#include "spaces/coordinate/synthesis/primitives/primitive.h"

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

const Primitive kSplit = {
    .kind = PrimitiveKind::Split,
    .parameter = "",
    .bottom = "[i, j]: [G, B]",
    .top = "[B*i + j]: [G*B]",
    .top_down = "partition into blocks",
    .offer = offer,
    .apply = apply,
};

}  // namespace cambium::spaces::coordinate::synthesis

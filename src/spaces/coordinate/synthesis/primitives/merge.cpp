// MERGE(B). Up: one coordinate becomes two, [i] -> [i / B, i % B]. Down: two axes are flattened.
// Offered for blocks that divide the domain at every binding.
#include "spaces/coordinate/synthesis/primitives/primitive.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

void offer(Space& space, const State& state, Steps& steps) {
  for (const CoordId a : state.data) {
    if (is_strided(space, a)) continue;
    for (const Block& block : space.sizes.blocks(space.coordinates.size(a))) {
      const Occurrences sum = state.occurrences + Occurrences{0, block.brought};
      if (sum.is_within(space.allowed)) {
        steps.push_back({PrimitiveKind::Merge, block.block, a, kNoCoord});
      }
    }
  }
}

void apply(Space& space, const Step& step, State& state) {
  const Block* block = space.sizes.find_block(space.coordinates.size(step.first), step.size);
  state.occurrences.coefficient += block->brought;
  use_up(state, step.first);
  state.data.push_back(space.coordinates.merge_high(step.first, step.size));
  state.data.push_back(space.coordinates.merge_low(step.first, step.size));
}

}  // namespace

const Primitive kMerge = {
    .kind = PrimitiveKind::Merge,
    .parameter = "B",
    .bottom = "[i]: [N]",
    .top = "[i / B, i % B]: [N / B, B]",
    .top_down = "flatten two dimensions",
    .offer = offer,
    .apply = apply,
};

}  // namespace cambium::spaces::coordinate::synthesis

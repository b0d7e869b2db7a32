#include "spaces/coordinate/synthesis/primitives/stride.h"

namespace cambium::spaces::coordinate::synthesis {
bool is_step(const Space& space, SizeId size) {
  const expr::Powers& powers = space.sizes[size].size.powers();
  for (std::uint8_t v = 0; v < expr::kMaxPrimary; ++v) {
    if (powers[expr::SizeVar{v}] != 0) return false;
  }
  return space.sizes[size].greatest <= space.limits.window;
}

namespace {

void offer(Space& space, const State& state, Steps& steps) {
  for (const SizeId step : space.sizes.parameters()) {
    if (!is_step(space, step)) continue;
    const Occurrences sum = state.occurrences + space.sizes[step].occurrences;
    if (!sum.is_within(space.allowed)) continue;
    for (const CoordId a : state.data) {
      if (is_strided(space, a)) continue;
      const SizeId result = space.sizes.product(space.coordinates.size(a), step);
      if (space.sizes.legal(result)) steps.push_back({PrimitiveKind::Stride, step, a, kNoCoord});
    }
  }
}

void apply(Space& space, const Step& step, State& state) {
  state.occurrences = state.occurrences + space.sizes[step.size].occurrences;
  use_up(state, step.first);
  state.data.push_back(space.coordinates.stride(step.first, step.size));
}

}  // namespace

const Primitive kStride = {
    .kind = PrimitiveKind::Stride,
    .parameter = "S",
    .bottom = "[i]: [K]",
    .top = "[S * i]: [S * K]",
    .top_down = "strided access",
    .offer = offer,
    .apply = apply,
};

}  // namespace cambium::spaces::coordinate::synthesis

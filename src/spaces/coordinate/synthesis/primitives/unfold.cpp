// UNFOLD. Up: base and window become one, [i, j] -> [i + j - K/2], zero outside. Down: windows of K
// are taken along an axis. Even and large windows, and windows that are not small against the base,
// are not offered.
#include "spaces/coordinate/synthesis/primitives/primitive.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

// Whether window `b` fits base `a`. The window of a dilated convolution counts with its length S*K.
// A strided base needs a window that reaches the next element: K >= S everywhere.
bool fits(const Space& space, CoordId a, CoordId b) {
  const Coord& base = space.coordinates[a];
  const Coord& window = space.coordinates[b];
  const bool is_dilated = window.kind == CoordinateKind::Stride;
  const SizeId taps = is_dilated ? space.coordinates.size(window.first) : window.size;
  const SizeFacts& k = space.sizes[taps];
  if (k.greatest > space.limits.window || (space.limits.odd_windows && !k.odd)) return false;
  const auto reach = space.sizes.values(window.size);
  const auto length = space.sizes.values(base.size);
  for (std::size_t i = 0; i < reach.size(); ++i) {
    if (static_cast<double>(length[i]) <
        space.limits.window_ratio * static_cast<double>(reach[i])) {
      return false;
    }
  }
  if (base.kind == CoordinateKind::Stride) {
    if (is_dilated) return false;  // would skip elements
    const auto step = space.sizes.values(base.parameter);
    for (std::size_t i = 0; i < step.size(); ++i) {
      if (reach[i] < step[i]) return false;
    }
  }
  return true;
}

void offer(Space& space, const State& state, Steps& steps) {
  offer_pairs(state, PrimitiveKind::Unfold, steps,
              [&](CoordId a, CoordId b) { return fits(space, a, b); });
}

void apply(Space& space, const Step& step, State& state) {
  use_up(state, step.first);
  use_up(state, step.second);
  state.data.push_back(space.coordinates.unfold(step.first, step.second));
}

}  // namespace

const Primitive kUnfold = {
    .kind = PrimitiveKind::Unfold,
    .parameter = "",
    .bottom = "[i, j]: [N, K]",
    .top = "[i + j - K/2]: [N]",
    .top_down = "extract sliding windows",
    .offer = offer,
    .apply = apply,
};

}  // namespace cambium::spaces::coordinate::synthesis

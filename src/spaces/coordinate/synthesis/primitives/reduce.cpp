// REDUCE(N). Up: a new coordinate that is summed over. Down: an axis is summed. The REDUCEs of an
// operator come before its other primitives, in the order of their sizes.
#include "spaces/coordinate/synthesis/primitives/primitive.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

bool is_before(const Space& space, SizeId a, SizeId b) {
  return space.sizes[a].size < space.sizes[b].size;
}

// Whether too many elements are summed over per element of the input, at any binding.
bool is_too_much(const Space& space, const State& state, SizeId added) {
  for (std::size_t i = 0; i < space.sizes.bindings(); ++i) {
    double volume = static_cast<double>(space.sizes.values(added)[i]);
    for (const CoordId c : state.data) {
      const Coord& coord = space.coordinates[c];
      if (coord.kind == CoordinateKind::Reduce) {
        volume *= static_cast<double>(space.sizes.values(coord.size)[i]);
      }
    }
    double input = 1;
    for (const SizeId s : space.input) input *= static_cast<double>(space.sizes.values(s)[i]);
    if (volume > space.limits.reduction_volume * input) return true;
  }
  return false;
}

void offer(Space& space, const State& state, Steps& steps) {
  const Counts& counts = state.counts;
  if (counts.all() != counts.reductions) return;
  for (const SizeId size : space.sizes.parameters()) {
    bool is_least = false;  // sizes go up, so that a set of reductions is made in one order only
    for (const CoordId c : state.data) {
      const Coord& coord = space.coordinates[c];
      is_least |= coord.kind == CoordinateKind::Reduce && is_before(space, size, coord.size);
    }
    const Occurrences sum = state.occurrences + space.sizes[size].occurrences;
    if (is_least || !sum.is_within(space.allowed) || is_too_much(space, state, size)) continue;
    steps.push_back({PrimitiveKind::Reduce, size, kNoCoord, kNoCoord});
  }
}

void apply(Space& space, const Step& step, State& state) {
  state.occurrences = state.occurrences + space.sizes[step.size].occurrences;
  int label = 0;
  for (const CoordId c : state.data) {
    const Coord& coord = space.coordinates[c];
    label += coord.kind == CoordinateKind::Reduce && coord.size == step.size;
  }
  state.data.push_back(space.coordinates.reduce(step.size, label));
  state.stage = kNoState;
}

}  // namespace

const Primitive kReduce = {
    .kind = PrimitiveKind::Reduce,
    .parameter = "N",
    .bottom = "[]: []",
    .top = "sum over i of [i]: [N]",
    .top_down = "reduce a dimension",
    .offer = offer,
    .apply = apply,
};

}  // namespace cambium::spaces::coordinate::synthesis

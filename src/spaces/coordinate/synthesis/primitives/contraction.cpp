// CONTRACTION. Up: one weight reads a set of coordinates; those that the data does not read leave
// the data. Down: a tensor contraction with a weight. A weight may read any set (weights.h), so
// depthwise weights (all shared) and per-channel scales (one axis) are contractions too.
#include "spaces/coordinate/synthesis/primitives/primitive.h"

namespace cambium::spaces::coordinate::synthesis {

const Primitive kContraction = {
    .kind = PrimitiveKind::Contraction,
    .parameter = "what the weight reads",
    .bottom = "[i, j, ...]: [N, M, ...]",
    .top = "([i, ...], [i, j, ...]): ([N, ...], [N, M, ...])",
    .top_down = "contract with a weight",
    .offer = nullptr,
    .apply = nullptr,
};

}  // namespace cambium::spaces::coordinate::synthesis

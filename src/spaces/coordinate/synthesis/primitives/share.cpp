// SHARE. Up: a weight reads the same coordinate as the data. Down: multiplied elementwise along an
// axis. A SHARE is always part of a CONTRACTION.
#include "spaces/coordinate/synthesis/primitives/primitive.h"

namespace cambium::spaces::coordinate::synthesis {

const Primitive kShare = {
    .kind = PrimitiveKind::Share,
    .parameter = "",
    .bottom = "[i]: [N]",
    .top = "([i], [i]): ([N], [N])",
    .top_down = "elementwise product",
    .offer = nullptr,
    .apply = nullptr,
};

}  // namespace cambium::spaces::coordinate::synthesis

#include "spaces/coordinate/synthesis/primitives/share.h"

namespace cambium::spaces::coordinate::synthesis {

const Primitive kShare = {
    PrimitiveKind::Share,  "SHARE", "",      "[i]: [N]", "([i], [i]): ([N], [N])",
    "elementwise product", nullptr, nullptr, nullptr,    nullptr};

}  // namespace cambium::spaces::coordinate::synthesis

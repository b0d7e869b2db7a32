#include "spaces/coordinate/synthesis/primitives/contraction.h"

namespace cambium::spaces::coordinate::synthesis {

const Primitive kContraction = {PrimitiveKind::Contraction,
                                "CONTRACTION",
                                "what the weight reads",
                                "[i, j, ...]: [N, M, ...]",
                                "([i, ...], [i, j, ...]): ([N, ...], [N, M, ...])",
                                "contract with a weight",
                                nullptr,
                                &Limits::weights,
                                nullptr,
                                nullptr};

}  // namespace cambium::spaces::coordinate::synthesis

// What a vendor library is asked for, read off a model of one operator and what was fused with it:
// the one operator among convolutions, matrix products, softmax and the norm of everything. What
// else there is must work element by element or move elements; it counts as an epilogue where the
// library has one, and as nothing elsewhere. Called by cambium-peers.
#pragma once

#include "base/result.h"
#include "kernels/workload.h"

namespace cambium::bench {

// Refuses UnsupportedOperator, which says what is in the way.
Result<Shape> shape_of(const model::Model& model);

}  // namespace cambium::bench

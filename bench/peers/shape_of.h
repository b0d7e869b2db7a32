// Reads the workload for a vendor library from a model of one operator and its fused nodes. The
// operator is a convolution, a matrix product, a softmax or the norm of all elements. All other
// nodes must be elementwise or move elements. They count as an epilogue if the library has
// epilogues, and are otherwise ignored. Called by cambium-peers.
#pragma once

#include "base/result.h"
#include "kernels/workload.h"

namespace cambium::bench {

// Refuses UnsupportedOperator, naming the obstacle.
Result<Shape> shape_of(const model::Model& model);

}  // namespace cambium::bench

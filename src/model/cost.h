// The cost of a model, computed from its shapes only: nothing runs and no lazy weight is filled.
//
// MACs are the multiplications of contractions (conv, conv_transpose, matmul, gemm, einsum), as in
// published counts. Biases, normalizations, activations and pooling do not count. Parameters are
// floating-point weights of rank >= 1, except the running means and variances of batch_norm.
// Integer and bool tensors and floating-point scalars are constants. A composite has the MACs of
// its body and the activations of its outputs; intermediate values depend on how it is computed.
// Counts saturate at 2^63 - 1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/model.h"

namespace cambium::model {

struct NodeCost {
  std::int64_t macs = 0;
  std::int64_t params = 0;            // parameters that this node is the first to read
  std::int64_t activation_bytes = 0;  // of its outputs; a reshape is a view and has none
  std::int64_t live_bytes = 0;        // activations that exist while this node runs
};

struct Cost {
  std::vector<NodeCost> nodes;  // parallel to Model::nodes()

  std::int64_t macs = 0;
  std::int64_t params = 0;        // a weight with several readers counts once
  std::int64_t weight_bytes = 0;  // of all weights: parameters, statistics and constants
  std::int64_t activation_bytes = 0;
  // The largest sum of activation bytes that exist at once when the nodes run in the model's order.
  // A value lives from the node that computes it to its last reader, an input of the model from the
  // start, an output to the end. Inputs and outputs of a node exist together (nothing is computed
  // in place). Weights are not included because they always exist.
  std::int64_t peak_bytes = 0;
};

Cost cost_of(const Model& model);

// The MACs of one node with these input and output types.
std::int64_t macs_of(const Op& op, std::span<const TensorType> inputs,
                     std::span<const TensorType> outputs);

// Of one node that is no Weight: the bytes of its outputs. A reshape is a view and has none.
std::int64_t activation_bytes_of(const Node& node);

// The Weight nodes that are parameters, in the model's order.
std::vector<NodeId> parameters_of(const Model& model);

}  // namespace cambium::model

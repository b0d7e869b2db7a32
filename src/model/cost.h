// What a model costs, by its shapes alone: nothing is run and no lazy weight is filled.
//
// MACs are the multiplications of contractions (conv, conv_transpose, matmul, gemm, einsum), as
// published counts have them: biases, normalizations, activations and pooling count nothing.
// Parameters are floating weights of rank >= 1, except running means and variances of batch_norm;
// integer and bool tensors and floating scalars are constants. A composite has the MACs of its body
// and the activations that it gives; what lies between them is the business of whoever computes it.
// Counts saturate at 2^63 - 1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/model.h"

namespace cambium::model {

struct NodeCost {
  std::int64_t macs = 0;
  std::int64_t params = 0;            // those that this node is the first to read
  std::int64_t activation_bytes = 0;  // of its outputs; a reshape is a view and makes none
  std::int64_t live_bytes = 0;        // activations that exist while this node runs
};

struct Cost {
  std::vector<NodeCost> nodes;  // parallel to Model::nodes()

  std::int64_t macs = 0;
  std::int64_t params = 0;        // a weight that several nodes read counts once
  std::int64_t weight_bytes = 0;  // of all weights: parameters, statistics and constants
  std::int64_t activation_bytes = 0;
  // The most activation bytes that exist at once, running the nodes in the model's order: a value
  // lives from the node that makes it to its last reader, an input of the model from the start, an
  // output to the end; inputs and outputs of a node exist together (nothing is computed in place).
  // Weights are not in it: they exist all the time.
  std::int64_t peak_bytes = 0;
};

Cost cost_of(const Model& model);

// Of one node with these input and output types.
std::int64_t macs_of(const Op& op, std::span<const TensorType> inputs,
                     std::span<const TensorType> outputs);

// The Weight nodes that are parameters, in the model's order.
std::vector<NodeId> parameters_of(const Model& model);

}  // namespace cambium::model

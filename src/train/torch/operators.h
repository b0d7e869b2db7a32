// Internal to Network: one `run` per operator of a model, by libtorch, with gradients where they
// exist. model/reference defines what an operator means; tests compare the two.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "model/model.h"
#include "train/kernel_provider.h"
#include "train/torch/torch.h"

namespace cambium::train {

using Tensors = std::vector<torch::Tensor>;

// Index tables of nodes (the source of each element along an axis), made once.
using Tables = std::map<std::pair<model::NodeId, std::int64_t>, torch::Tensor>;

struct Call {
  const model::Node& node;
  std::span<const torch::Tensor> inputs;
  bool training = false;            // norms use the statistics of the batch ...
  bool updates_statistics = false;  // ... and update the running ones, if inputs 3 and 4 are such
  std::int64_t graph_batch = 1, batch = 1;  // in the graph; in this call
  std::int64_t batch_axis = -1;             // of the first output; -1: none
  Tables* tables = nullptr;
  bool dense_groups = false, channels_last = false;  // NetworkOptions
  const ProvidedKernel* kernel = nullptr;            // of a Composite

  const torch::Tensor& input(std::size_t i) const { return inputs[i]; }
  // An optional input; undefined if it is missing, which libtorch takes for "none".
  torch::Tensor optional_input(std::size_t i) const {
    return i < inputs.size() ? inputs[i] : torch::Tensor();
  }
  // Dimensions from an attribute, at the batch of this call.
  model::Ints at_batch(model::Ints dims) const {
    if (batch_axis >= 0 && batch != graph_batch) {
      std::int64_t& dim = dims[static_cast<std::size_t>(batch_axis)];
      dim = dim / graph_batch * batch;
    }
    return dims;
  }
};

#define CAMBIUM_X(op, name, fewest, most, outputs) \
  Tensors run(const model::op& op_, const Call& call);
CAMBIUM_FOR_EACH_OP(CAMBIUM_X)
#undef CAMBIUM_X

}  // namespace cambium::train

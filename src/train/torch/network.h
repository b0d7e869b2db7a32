// A Model as a libtorch computation: its parameters are leaf tensors, a forward pass runs the nodes
// in order. Batch norms use the statistics of the batch and update the running ones when training.
// The first dimension of the graph's inputs may have any size: shapes in attributes that hold the
// graph's own batch (Reshape, Expand) follow it. What runs is the model with its Composites
// expanded, or computed by provided kernels, and everything recognized (train/running.h); values
// and weights are named as the given model has them. Used by the trainer and the proxies.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "train/device.h"
#include "train/kernel_provider.h"
#include "train/torch/shared.h"
#include "train/torch/torch.h"

namespace cambium::train {

struct Parameter {
  model::NodeId node;  // the Weight
  std::string name;
  torch::Tensor tensor;  // a leaf that requires its gradient
  bool decays = true;    // rank above 1, and neither scale nor bias of a norm
};

struct NetworkOptions {
  Device device;
  bool channels_last = false;
  KernelProvider* kernels = nullptr;
  // Then leaves are those of other networks too: no parameter asks for its gradient, and running
  // statistics stay as they are.
  SharedWeights* weights = nullptr;
  // Grouped convolutions and means over overlapping windows as dense convolutions, with zeros: GPUs
  // have slow kernels for small groups and for pooling.
  bool dense_groups = false;
  bool recognizes = true;  // what synthesizers wrote, as what it is
};

class Network {
 public:
  enum class Mode : std::uint8_t { Training, Inference };

  // Refuses UnsupportedOperator (naming the node) for what has no gradient or no counterpart.
  static Result<Network> make(const model::Model& given, const NetworkOptions& options);

  // Whether it runs with a batch of this size. Refuses ShapeMismatch naming the node that mixes or
  // counts samples, unless it is the batch of the graph.
  Status takes_batch(std::int64_t batch) const;

  // One tensor per input of the model, of a batch that it takes; gives its outputs. Values that are
  // keys of `watched` are filled in, and keep their gradients when gradients are recorded; a value
  // that nothing computes any more, because what read it was recognized, stays as it is. With
  // `shared` (and shared weights) only what it does not have is computed.
  std::vector<torch::Tensor> forward(const std::vector<torch::Tensor>& inputs, Mode mode,
                                     Watched* watched = nullptr, SharedValues* shared = nullptr);

  std::vector<Parameter>& parameters() { return parameters_; }
  // Running statistics, which training changes but no optimizer sees.
  std::vector<Parameter>& statistics() { return statistics_; }

  // Computes in f64 from now on: all floating weights become f64, and inputs must be.
  void widen();

  // The model with the weights as they are now; everything else is shared with the original.
  model::Model trained() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
  std::vector<Parameter> parameters_, statistics_;
};

}  // namespace cambium::train

// A Model as a computation of libtorch: its parameters are leaf tensors, and a forward pass runs
// the nodes in order. In training, batch norms use the statistics of the batch and update the
// running ones. The first dimension of the graph's inputs may have any size; shapes in attributes
// that contain the graph's own batch (Reshape, Expand) follow it. Composites are expanded or
// computed by provided kernels, and everything is recognized (train/running.h). Values and weights
// have the names of the given model. Used by the trainer and the proxies.
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
  torch::Tensor tensor;  // a leaf that requires a gradient
  bool decays = true;    // rank above 1, and not a scale or bias of a norm
};

struct NetworkOptions {
  Device device;
  bool channels_last = false;
  KernelProvider* kernels = nullptr;
  // If given, networks share their leaves: no parameter requires a gradient, and running statistics
  // stay unchanged.
  SharedWeights* weights = nullptr;
  // Computes grouped convolutions and means over overlapping windows as dense convolutions with
  // zeros, because GPUs have slow kernels for small groups and for pooling.
  bool dense_groups = false;
  bool recognizes = true;  // runs decompositions as the standard operators in them
};

class Network {
 public:
  enum class Mode : std::uint8_t { Training, Inference };

  // Refuses UnsupportedOperator (naming the node) for an operator without a gradient or without a
  // counterpart.
  static Result<Network> make(const model::Model& given, const NetworkOptions& options);

  // Whether it runs with a batch of this size. Refuses ShapeMismatch, naming the node that mixes or
  // counts samples, unless the size is the graph's own batch.
  Status takes_batch(std::int64_t batch) const;

  // Takes one tensor per input of the model, with an accepted batch size, and returns its outputs.
  // Values that are keys of `watched` are filled in, and keep their gradients if gradients are
  // recorded. A value that recognition removed is not filled in. With `shared` (and shared
  // weights), only values that it lacks are computed.
  std::vector<torch::Tensor> forward(const std::vector<torch::Tensor>& inputs, Mode mode,
                                     Watched* watched = nullptr, SharedValues* shared = nullptr);

  std::vector<Parameter>& parameters() { return parameters_; }
  // Running statistics: training changes them, but no optimizer sees them.
  std::vector<Parameter>& statistics() { return statistics_; }

  // Computes in f64 from now on: all floating weights become f64, and inputs must be f64.
  void widen();

  // The model with the present weights. It shares everything else with the given model.
  model::Model trained() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
  std::vector<Parameter> parameters_, statistics_;
};

}  // namespace cambium::train

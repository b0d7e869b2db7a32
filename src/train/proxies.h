// Measures of a network that need no training: one minibatch at initialization, forward and
// backward. Fisher Potential is the one that decides about legality of neural transformations; the
// others stand beside it for comparison. Called by search (through engine) and `bench proxies`.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "model/tensor.h"
#include "train/device.h"

namespace cambium::train {

struct ProxyBatch {
  model::Tensor inputs = model::Tensor::scalar<float>(0);  // f32 [N, ...]
  std::vector<std::int64_t> labels;                        // N
};

struct LayerScore {
  model::NodeId node;
  std::string name;
  double score = 0;
};

// NAS-PTE: for an output channel c of a convolution with activation A and gradient g = dL/dA,
//   delta_c = 1 / (2 N) * sum over n of (sum over i, j of A_nij g_nij)^2,
// a layer's is the sum over its channels, a network's over its layers.
enum class Loss : std::uint8_t {
  Sum,   // g is the gradient of each sample's own loss, as the formula means it
  Mean,  // as the authors' program has it: everything is 1 / N^2 of that
};
enum class Hooks : std::uint8_t {
  Convolutions,  // the output of every convolution, and of every composite in the place of one
  Activations,   // what follows it: after its norm and activation, where it has them
  BlockOutputs,  // the authors' program: the end of each residual branch
};
struct FisherOptions {
  Loss loss = Loss::Sum;
  Hooks hooks = Hooks::Convolutions;
  bool half = true;              // the factor 1/2
  bool batch_statistics = true;  // norms as in training
  // Grouped convolutions as dense ones with zeros: more work, but GPUs are slow at small groups.
  bool dense_groups = false;
  Device device;
};
struct FisherReport {
  double total = 0;
  std::vector<LayerScore> layers;
};
Result<FisherReport> fisher_potential(const model::Model& model, const ProxyBatch& batch,
                                      const FisherOptions& options = {});

// Of many networks, one minibatch for all: each as above, the same to the last bit on a CPU.
// Weights of the same rule are drawn once and kept. A network also computes nothing forward that
// the one before it in its thread has computed, so that those that begin alike should be
// neighbours.
struct FisherManyOptions {
  FisherOptions fisher;
  int workers = 1;            // threads with a network each; libtorch gets no others
  bool shares_values = true;  // what two neighbours have in common; costs the memory of another
  // Called as each ends, one at a time, in no order.
  std::function<void(std::int64_t index, const Result<FisherReport>& report)> ended;
};
// The network at a place, with weights, lazy ones rather than filled. Asked by several threads.
using NetworkSource = std::function<Result<model::Model>(std::int64_t index)>;
std::vector<Result<FisherReport>> fisher_of_many(std::int64_t count, const NetworkSource& network,
                                                 const ProxyBatch& batch,
                                                 const FisherManyOptions& options = {});

// The others, by name: "grad-norm", "snip", "synflow", "jacobian", "zico", and "fisher".
struct Proxy {
  const char* name;
  const char* what;
  std::int64_t batches;  // how many it needs
  Result<double> (*score)(const model::Model& model, std::span<const ProxyBatch> batches,
                          const Device& device);
};
std::span<const Proxy> proxies();
Result<const Proxy*> proxy_named(std::string_view name);

}  // namespace cambium::train

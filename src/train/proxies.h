// Measures of a network that need no training: one minibatch at initialization, forward and
// backward. Fisher Potential decides about the legality of neural transformations; the others are
// there for comparison. Called by search (through engine) and `bench proxies`.
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
  model::NodeId node;  // whose value is scored
  std::string name;
  double score = 0;
  // The convolution, or the composite in its place, that the score is of. For BlockOutputs the node
  // itself.
  model::NodeId of = {};
};

// NAS-PTE: for an output channel c of a convolution with activation A and gradient g = dL/dA,
//   delta_c = 1 / (2 N) * sum over n of (sum over i, j of A_nij g_nij)^2.
// The score of a layer is the sum over its channels, that of a network the sum over its layers.
enum class Loss : std::uint8_t {
  Sum,   // g is the gradient of each sample's own loss, as in the formula
  Mean,  // as in the authors' program: every score is 1 / N^2 of the above
};
enum class Hooks : std::uint8_t {
  Convolutions,  // the output of every convolution, and of every composite that replaces one
  Activations,   // the value after its norm and activation, if it has them
  // As in the authors' program: the end of each residual branch. Also the end of each dense branch,
  // the input of a concatenation.
  BlockOutputs,
};
std::string_view name_of(Hooks hooks);          // "block-outputs"
Result<Hooks> hooks_of(std::string_view name);  // refuses BadOption
struct FisherOptions {
  Loss loss = Loss::Sum;
  Hooks hooks = Hooks::Convolutions;
  bool half = true;              // the factor 1/2
  bool batch_statistics = true;  // norms run as in training
  // Computes grouped convolutions as dense ones with zeros: more work, but GPUs are slow at small
  // groups.
  bool dense_groups = false;
  Device device;
};
struct FisherReport {
  double total = 0;
  std::vector<LayerScore> layers;
};
// Refuses NotPromising a network that has no value to score under these hooks: without a score, no
// other network could be refused.
Result<FisherReport> fisher_potential(const model::Model& model, const ProxyBatch& batch,
                                      const FisherOptions& options = {});

// Scores many networks with one minibatch. Each score is as above, on a CPU to the last bit.
// Weights of the same rule are drawn once and kept. A network reuses the forward values that the
// previous network in its thread has computed, so networks that begin alike should be neighbours.
struct FisherManyOptions {
  FisherOptions fisher;
  int workers = 1;            // threads, one network each; libtorch gets no others
  bool shares_values = true;  // between neighbours; costs the memory of a second network
  // Called when a network is done: one call at a time, in any order.
  std::function<void(std::int64_t index, const Result<FisherReport>& report)> ended;
};
// The network with this index, with weights, preferably lazy ones. Several threads call it.
using NetworkSource = std::function<Result<model::Model>(std::int64_t index)>;
std::vector<Result<FisherReport>> fisher_of_many(std::int64_t count, const NetworkSource& network,
                                                 const ProxyBatch& batch,
                                                 const FisherManyOptions& options = {});

// All measures by name: "grad-norm", "snip", "synflow", "jacobian", "zico", and "fisher".
struct Proxy {
  const char* name;
  const char* what;
  std::int64_t batches;  // how many batches it needs
  Result<double> (*score)(const model::Model& model, std::span<const ProxyBatch> batches,
                          const Device& device);
};
std::span<const Proxy> proxies();
Result<const Proxy*> proxy_named(std::string_view name);

}  // namespace cambium::train

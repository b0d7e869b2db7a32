// Fisher Potential. Only gradients of activations are needed: parameters ask for none, so that the
// backward pass computes no gradient of a weight and ends at the first activation that is hooked.
#include <algorithm>

#include "train/residual.h"
#include "train/torch/guarded.h"
#include "train/torch/proxy_run.h"

namespace cambium::train {

namespace {

using model::Value;

// The only node that reads a value, if there is one and it reads it first.
const model::Node* only_reader(const model::Model& model, const model::Uses& uses, Value value) {
  const auto readers = uses.of(value);
  const bool one = readers.size() == 1 && readers[0].node.valid() && readers[0].input == 0;
  return one ? &model.node(readers[0].node) : nullptr;
}

// Behind the norm and the activation that follow the value directly.
Value activation_behind(const model::Model& model, const model::Uses& uses, Value value) {
  const model::Node* next = only_reader(model, uses, value);
  const bool norm = next != nullptr && (next->as<model::BatchNorm>() != nullptr ||
                                        next->as<model::GroupNorm>() != nullptr ||
                                        next->as<model::LayerNorm>() != nullptr);
  if (norm) {
    value = {next->id, 0};
    next = only_reader(model, uses, value);
  }
  const bool function = next != nullptr && (next->as<model::Unary>() != nullptr ||
                                            next->as<model::Activation>() != nullptr);
  return function ? Value{next->id, 0} : value;
}

// A rewritten place counts as the convolution that stood there, whatever it is made of now: so the
// layers of a network and of its variants are the same ones.
bool stands_for_convolution(const model::Node& node) {
  constexpr std::int64_t kImageRank = 4;
  return node.as<model::Conv>() != nullptr ||
         (node.as<model::Composite>() != nullptr && node.outputs[0].rank() >= kImageRank);
}

// In the model's order, each once.
std::vector<Value> hooked_values(const model::Model& model, Hooks hooks) {
  std::vector<Value> values;
  if (hooks == Hooks::BlockOutputs) {
    values = branch_ends(model);
  } else {
    const model::Uses uses(model);
    for (const model::NodePtr& node : model.nodes()) {
      if (!stands_for_convolution(*node)) continue;
      const Value value{node->id, 0};
      values.push_back(hooks == Hooks::Activations ? activation_behind(model, uses, value) : value);
    }
  }
  std::vector<Value> unique;
  for (const Value value : values) {
    const bool channels = model.type(value).rank() >= 2;
    if (channels && std::find(unique.begin(), unique.end(), value) == unique.end()) {
      unique.push_back(value);
    }
  }
  return unique;
}

// The sum over channels of 1 / N * sum over n of (sum over places of A g)^2.
double layer_score(const torch::Tensor& activation, const torch::Tensor& gradient) {
  const std::int64_t n = activation.size(0), channels = activation.size(1);
  const torch::Tensor inner =
      (activation.detach() * gradient).reshape({n, channels, -1}).sum(2, false, torch::kDouble);
  return inner.square().sum().item<double>() / static_cast<double>(n);
}

Result<FisherReport> scored(const model::Model& model, const ProxyBatch& batch,
                            const FisherOptions& options) {
  CAMBIUM_TRY(ProxyRun run, proxy_run(model, {&batch, 1}, options.device));
  for (Parameter& parameter : run.network.parameters()) parameter.tensor.requires_grad_(false);
  const std::vector<Value> values = hooked_values(model, options.hooks);
  FisherReport report;
  if (values.empty()) return report;
  Watched watched;
  for (const Value value : values) watched.emplace(value, torch::Tensor());
  const auto mode = options.batch_statistics ? Network::Mode::Training : Network::Mode::Inference;
  const torch::Tensor loss = run.loss(run.batches[0], mode, options.loss, &watched);
  std::vector<torch::Tensor> activations;
  for (const Value value : values) activations.push_back(watched[value]);
  const auto gradients = torch::autograd::grad({loss}, activations, {}, false, false, true);
  for (std::size_t i = 0; i < values.size(); ++i) {
    // What the loss does not depend on has no gradient, and no score.
    const double score = gradients[i].defined() ? layer_score(activations[i], gradients[i]) : 0;
    const model::Node& node = model.node(values[i].node);
    report.layers.push_back({node.id, node.name, options.half ? score / 2 : score});
    report.total += report.layers.back().score;
  }
  return report;
}

}  // namespace

Result<FisherReport> fisher_potential(const model::Model& model, const ProxyBatch& batch,
                                      const FisherOptions& options) {
  return guarded<FisherReport>(model, static_cast<std::int64_t>(batch.labels.size()),
                               [&] { return scored(model, batch, options); });
}

}  // namespace cambium::train

#include "train/torch/network_testing.h"

#include "train/torch/network.h"
#include "train/torch/tensors.h"

namespace cambium::train {

namespace {

std::vector<torch::Tensor> all_to_torch(std::span<const model::Tensor> tensors) {
  std::vector<torch::Tensor> out;
  for (const model::Tensor& tensor : tensors) out.push_back(to_torch(tensor, {}));
  return out;
}

}  // namespace

Result<Ran> run_network(const model::Model& model, std::span<const model::Tensor> inputs,
                        const RunOptions& options) {
  NetworkOptions how;
  how.channels_last = options.channels_last;
  how.dense_groups = options.dense_groups;
  CAMBIUM_TRY(Network network, Network::make(model, how));
  if (!inputs.empty() && !inputs[0].dims().empty()) {
    CAMBIUM_REQUIRE(network.takes_batch(inputs[0].dims()[0]));
  }
  const auto mode = options.training ? Network::Mode::Training : Network::Mode::Inference;
  const torch::NoGradGuard guard;
  Ran ran;
  for (int i = 0; i < options.times; ++i) {
    ran.outputs.clear();
    for (const torch::Tensor& output : network.forward(all_to_torch(inputs), mode)) {
      ran.outputs.push_back(from_torch(output));
    }
  }
  ran.trained = network.trained();
  return ran;
}

Result<std::vector<model::Tensor>> input_gradients(const model::Model& model,
                                                   std::span<const model::Tensor> inputs,
                                                   std::span<const model::Tensor> factors,
                                                   bool training) {
  CAMBIUM_TRY(Network network, Network::make(model, {}));
  std::vector<torch::Tensor> leaves = all_to_torch(inputs);
  for (torch::Tensor& leaf : leaves) {
    if (torch::isFloatingType(leaf.scalar_type())) leaf.requires_grad_();
  }
  const auto mode = training ? Network::Mode::Training : Network::Mode::Inference;
  const std::vector<torch::Tensor> outputs = network.forward(leaves, mode);
  torch::Tensor sum = torch::zeros({}, torch::kDouble);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!torch::isFloatingType(outputs[i].scalar_type())) continue;
    sum = sum + (outputs[i] * to_torch(factors[i], {})).sum();
  }
  if (sum.requires_grad()) sum.backward();
  std::vector<model::Tensor> gradients;
  for (const torch::Tensor& leaf : leaves) {
    gradients.push_back(from_torch(leaf.grad().defined() ? leaf.grad() : torch::zeros_like(leaf)));
  }
  return gradients;
}

}  // namespace cambium::train

// The measures besides Fisher Potential; docs/proxies.md has their formulas and sources.
#include "train/proxies.h"

#include <array>
#include <cmath>

#include <fmt/core.h>

#include "model/builder.h"
#include "model/composite.h"
#include "train/norms.h"
#include "train/torch/guarded.h"
#include "train/torch/proxy_run.h"

namespace cambium::train {

namespace {

using Batches = std::span<const ProxyBatch>;

Status need(std::int64_t count, Batches batches) {
  const auto given = static_cast<std::int64_t>(batches.size());
  if (given >= count) return Ok{};
  constexpr std::int64_t kMost = 1'000'000;
  return Rejection(Reason::SizeOutOfRange, "the number of batches", "", given, count, kMost);
}

// Weights of contractions and tables, without biases and scales of norms.
std::vector<torch::Tensor> matrices(Network& network) {
  std::vector<torch::Tensor> out;
  for (Parameter& parameter : network.parameters()) {
    parameter.tensor.requires_grad_(parameter.decays);
    if (parameter.decays) out.push_back(parameter.tensor);
  }
  return out;
}

std::vector<torch::Tensor> gradients_of(const torch::Tensor& value,
                                        const std::vector<torch::Tensor>& tensors) {
  if (tensors.empty() || !value.requires_grad()) return std::vector<torch::Tensor>(tensors.size());
  auto gradients = torch::autograd::grad({value}, tensors, {}, false, false, true);
  return {gradients.begin(), gradients.end()};
}

// A sum over weights of a function of the weight and its gradient.
template <class Term>
Result<double> sum_over_weights(const model::Model& model, Batches batches, const Device& device,
                                const Term& term) {
  CAMBIUM_TRY(ProxyRun run, proxy_run(model, batches.first(1), device));
  const std::vector<torch::Tensor> weights = matrices(run.network);
  const torch::Tensor loss =
      loss_of(run.network, run.batches[0], Network::Mode::Training, Loss::Mean);
  const std::vector<torch::Tensor> gradients = gradients_of(loss, weights);
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (gradients[i].defined()) sum += term(weights[i].detach(), gradients[i]);
  }
  return sum;
}

Result<double> grad_norm(const model::Model& model, Batches batches, const Device& device) {
  return sum_over_weights(model, batches, device, [](const auto&, const auto& gradient) {
    return gradient.norm().template item<double>();
  });
}

Result<double> snip(const model::Model& model, Batches batches, const Device& device) {
  return sum_over_weights(model, batches, device, [](const auto& weight, const auto& gradient) {
    return (weight * gradient).abs().sum(torch::kDouble).template item<double>();
  });
}

Result<double> fisher(const model::Model& model, Batches batches, const Device& device) {
  FisherOptions options;
  options.device = device;
  CAMBIUM_TRY(const FisherReport report, fisher_potential(model, batches[0], options));
  return report.total;
}

// Norms, also those inside of Composites, are left out, because they would cancel the measured
// effect.
Result<model::Model> without_norms(const model::Model& given) {
  const model::Model model = model::expanded(given);
  model::Builder builder(model);
  for (const model::NodePtr& node : model.nodes()) {
    if (is_norm(*node)) builder.replace({node->id, 0}, builder.node(node->id).inputs[0]);
  }
  return std::move(builder).finish();
}

Result<double> synflow(const model::Model& model, Batches batches, const Device& device) {
  CAMBIUM_TRY(const model::Model plain, without_norms(model));
  CAMBIUM_TRY(ProxyRun run, proxy_run(plain, batches.first(1), device));
  run.network.widen();  // products over all layers leave f32
  std::vector<torch::Tensor> weights;
  for (Parameter& parameter : run.network.parameters()) {
    parameter.tensor.requires_grad_(false).abs_().requires_grad_(true);
    weights.push_back(parameter.tensor);
  }
  const torch::Tensor& images = run.batches[0].inputs;
  if (!torch::isFloatingType(images.scalar_type())) {
    return Rejection(Reason::WrongType, "inputs",
                     "SynFlow needs numbers as inputs; these are indices");
  }
  model::Ints dims = images.sizes().vec();
  dims[0] = 1;
  CAMBIUM_REQUIRE(run.network.takes_batch(1));
  const torch::Tensor ones = torch::ones(dims, images.options().dtype(torch::kDouble));
  const torch::Tensor flow = run.network.forward({ones}, Network::Mode::Inference)[0].sum();
  const std::vector<torch::Tensor> gradients = gradients_of(flow, weights);
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (gradients[i].defined()) sum += (weights[i] * gradients[i]).sum().item<double>();
  }
  return sum;
}

// Rows are centred and scaled to length 1; a constant row correlates with nothing.
torch::Tensor correlations(const torch::Tensor& rows) {
  const torch::Tensor centred = rows - rows.mean(1, true);
  const torch::Tensor lengths = centred.norm(2, 1, true);
  const torch::Tensor units = centred / lengths.masked_fill(lengths == 0, 1);
  const torch::Tensor products = torch::mm(units, units.t());
  return products.fill_diagonal_(1);
}

Result<double> jacobian(const model::Model& model, Batches batches, const Device& device) {
  CAMBIUM_TRY(ProxyRun run, proxy_run(model, batches.first(1), device));
  torch::Tensor images = run.batches[0].inputs;
  if (!torch::isFloatingType(images.scalar_type())) {
    return Rejection(Reason::WrongType, "inputs",
                     "gradients need floating-point inputs; these are whole numbers");
  }
  for (Parameter& parameter : run.network.parameters()) parameter.tensor.requires_grad_(false);
  images.requires_grad_();
  const torch::Tensor sum = run.network.forward({images}, Network::Mode::Training)[0].sum();
  torch::Tensor rows = gradients_of(sum, {images})[0];
  if (!rows.defined()) rows = torch::zeros_like(images);
  rows = rows.reshape({rows.size(0), -1}).to(torch::kCPU, torch::kDouble);
  const torch::Tensor eigenvalues = torch::linalg_eigvalsh(correlations(rows)).clamp_min(0);
  constexpr double kSmall = 1e-5;
  const torch::Tensor shifted = eigenvalues + kSmall;
  return -(shifted.log() + shifted.reciprocal()).sum().item<double>();
}

Result<double> zico(const model::Model& model, Batches batches, const Device& device) {
  CAMBIUM_TRY(ProxyRun run, proxy_run(model, batches, device));
  const std::vector<torch::Tensor> weights = matrices(run.network);
  std::vector<std::vector<torch::Tensor>> seen(weights.size());  // by weight, by batch
  for (const DeviceBatch& batch : run.batches) {
    const torch::Tensor loss = loss_of(run.network, batch, Network::Mode::Training, Loss::Mean);
    const std::vector<torch::Tensor> gradients = gradients_of(loss, weights);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (gradients[i].defined()) seen[i].push_back(gradients[i].reshape({-1}).to(torch::kDouble));
    }
  }
  double score = 0;
  for (const std::vector<torch::Tensor>& each : seen) {
    if (each.empty()) continue;
    const torch::Tensor rows = torch::stack(each);
    const torch::Tensor deviation = rows.std(0, false);
    const torch::Tensor ratio = rows.abs().mean(0) / deviation;
    const double sum = ratio.masked_fill(deviation == 0, 0).sum().item<double>();
    if (sum > 0) score += std::log(sum);
  }
  return score;
}

// The function in the table: the measure on as many batches as it needs, guarded.
template <std::int64_t kBatches, auto kMeasure>
Result<double> measured(const model::Model& model, Batches batches, const Device& device) {
  CAMBIUM_REQUIRE(need(kBatches, batches));
  return guarded<double>(model, static_cast<std::int64_t>(batches[0].labels.size()),
                         [&] { return kMeasure(model, batches, device); });
}

constexpr std::array<Proxy, 6> kProxies{{
    {"fisher", "Fisher Potential: the information of activations about the labels", 1,
     measured<1, fisher>},
    {"grad-norm", "the norms of the gradients of all weights", 1, measured<1, grad_norm>},
    {"snip", "the effect of removing each weight on the loss", 1, measured<1, snip>},
    {"synflow", "the flow of ones through the absolute weights", 1, measured<1, synflow>},
    {"jacobian", "how little the Jacobians of different samples are correlated", 1,
     measured<1, jacobian>},
    {"zico", "means over deviations of gradients, over several batches", 2, measured<2, zico>},
}};

}  // namespace

std::span<const Proxy> proxies() {
  return kProxies;
}

Result<const Proxy*> proxy_named(std::string_view name) {
  std::string names;
  for (const Proxy& proxy : kProxies) {
    if (proxy.name == name) return &proxy;
    names += names.empty() ? "" : ", ";
    names += proxy.name;
  }
  return Rejection(Reason::BadOption, "proxy",
                   fmt::format("unknown '{}'; expected one of {}", name, names));
}

}  // namespace cambium::train

#include "train/torch/proxy_run.h"

#include <algorithm>

#include <fmt/core.h>

#include "train/torch/task.h"
#include "train/torch/tensors.h"

namespace cambium::train {

namespace {

Status check_indices(const model::Model& model, const model::Tensor& inputs) {
  if (!is_integer(inputs.dtype()) || inputs.elements() == 0) return Ok{};
  const std::vector<std::int64_t> indices = inputs.to_ints();
  const auto [least, most] = std::minmax_element(indices.begin(), indices.end());
  return check_tokens(model, *least, *most);
}

// Classes are the last dimension of the first output; every other place in it needs a label.
Status check_batch(const model::Model& model, const ProxyBatch& batch) {
  const model::TensorType& wanted = model.type({model.inputs()[0], 0});
  const model::TensorType& scores = model.type(model.outputs()[0].value);
  const model::TensorType& given = batch.inputs.type();
  if (given.dtype != wanted.dtype) {
    return Rejection(
        Reason::WrongType, "inputs",
        fmt::format("the batch holds {}, the model takes {}", given.text(), wanted.text()));
  }
  const bool same = given.rank() > 0 && given.rank() == wanted.rank() &&
                    std::equal(given.dims.begin() + 1, given.dims.end(), wanted.dims.begin() + 1);
  if (!same) {
    return Rejection(
        Reason::ShapeMismatch, "inputs",
        fmt::format("the batch is {}, the model takes {}", given.text(), wanted.text()));
  }
  if (given.dims[0] == 0) return Rejection(Reason::NoSamples, "the batch", "samples");
  CAMBIUM_REQUIRE(check_indices(model, batch.inputs));
  if (scores.rank() < 2 || !is_floating(scores.dtype)) {
    return Rejection(Reason::ShapeMismatch, "scores",
                     fmt::format("the model gives {}, not one row per sample", scores.text()));
  }
  const std::int64_t classes = scores.dims.back();
  const std::int64_t rows = classes == 0 || wanted.dims[0] == 0
                                ? 0
                                : scores.elements() / classes * given.dims[0] / wanted.dims[0];
  const auto labels = static_cast<std::int64_t>(batch.labels.size());
  if (labels != rows) return Rejection(Reason::CountMismatch, labels, rows);
  for (std::int64_t i = 0; i < labels; ++i) {
    const std::int64_t label = batch.labels[static_cast<std::size_t>(i)];
    if (label < 0 || label >= classes) {
      return Rejection(Reason::LabelOutOfRange, i, label, classes - 1);
    }
  }
  return Ok{};
}

}  // namespace

DeviceBatch on_device(const ProxyBatch& batch, const Device& device) {
  return {to_torch(batch.inputs, device),
          torch::tensor(batch.labels, torch::kLong).to(torch_device(device))};
}

Result<Network> network_for(const model::Model& model, std::span<const ProxyBatch> batches,
                            const NetworkOptions& options) {
  if (model.inputs().size() != 1) {
    return Rejection(Reason::ShapeMismatch, "inputs",
                     fmt::format("the model has {}, not one", model.inputs().size()));
  }
  if (batches.empty()) return Rejection(Reason::NoSamples, "the measure", "batches");
  CAMBIUM_TRY(Network network, Network::make(model, options));
  for (const ProxyBatch& batch : batches) {
    CAMBIUM_REQUIRE(check_batch(model, batch));
    CAMBIUM_REQUIRE(network.takes_batch(batch.inputs.dims()[0]));
  }
  return network;
}

torch::Tensor loss_of(Network& network, const DeviceBatch& batch, Network::Mode mode,
                      Loss reduction, Watched* watched, SharedValues* shared) {
  const torch::Tensor scores = network.forward({batch.inputs}, mode, watched, shared)[0];
  const torch::Tensor rows = torch::log_softmax(scores.reshape({-1, scores.size(-1)}), 1);
  return torch::nll_loss(rows, batch.labels, {},
                         reduction == Loss::Sum ? at::Reduction::Sum : at::Reduction::Mean);
}

Result<ProxyRun> proxy_run(const model::Model& model, std::span<const ProxyBatch> batches,
                           const Device& device) {
  NetworkOptions options;
  options.device = device;
  options.channels_last = true;
  CAMBIUM_TRY(Network network, network_for(model, batches, options));
  ProxyRun run{std::move(network), {}};
  for (const ProxyBatch& batch : batches) run.batches.push_back(on_device(batch, device));
  return run;
}

}  // namespace cambium::train

// Shared by the measures without training: a network, minibatches that fit it, and the loss.
#pragma once

#include <span>

#include "base/result.h"
#include "train/proxies.h"
#include "train/torch/network.h"

namespace cambium::train {

struct DeviceBatch {
  torch::Tensor inputs, labels;
};
DeviceBatch on_device(const ProxyBatch& batch, const Device& device);

// Refuses a batch that does not fit: ShapeMismatch (inputs, scores), CountMismatch,
// LabelOutOfRange, WrongType, NoSamples, IndexOutOfRange (tokens). Also refuses what Network
// refuses.
Result<Network> network_for(const model::Model& model, std::span<const ProxyBatch> batches,
                            const NetworkOptions& options);

// The cross-entropy of one batch: the sum over its samples, or their mean.
torch::Tensor loss_of(Network& network, const DeviceBatch& batch, Network::Mode mode,
                      Loss reduction, Watched* watched = nullptr, SharedValues* shared = nullptr);

// A network and the batches that it is scored by.
struct ProxyRun {
  Network network;
  std::vector<DeviceBatch> batches;
};
Result<ProxyRun> proxy_run(const model::Model& model, std::span<const ProxyBatch> batches,
                           const Device& device);

}  // namespace cambium::train

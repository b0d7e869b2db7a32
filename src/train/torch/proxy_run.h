// What the measures without training share: a network and minibatches that fit it, and the loss.
#pragma once

#include <span>

#include "base/result.h"
#include "train/proxies.h"
#include "train/torch/network.h"

namespace cambium::train {

struct ProxyRun {
  Network network;
  struct Batch {
    torch::Tensor inputs, labels;
  };
  std::vector<Batch> batches;

  // The cross-entropy of one batch, summed over its samples or their mean.
  torch::Tensor loss(const Batch& batch, Network::Mode mode, Loss reduction,
                     Watched* watched = nullptr);
};

// Refuses what does not fit: ShapeMismatch (inputs, scores), CountMismatch, LabelOutOfRange,
// WrongType, NoSamples, IndexOutOfRange (tokens).
Result<ProxyRun> proxy_run(const model::Model& model, std::span<const ProxyBatch> batches,
                           const Device& device);

}  // namespace cambium::train

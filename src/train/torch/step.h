// One step of a training and all tensors that it changes: a batch from its feed, forward, loss,
// backward, clipping, update, averaging. On a GPU, the first few steps run normally; then the step
// is recorded and replayed, because launching its kernels one by one takes longer than computing. A
// step that cannot be recorded keeps running normally, and says why. Called by the trainer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "train/recipe.h"
#include "train/torch/batches.h"
#include "train/torch/gpu.h"
#include "train/torch/network.h"
#include "train/torch/optimizer.h"

namespace cambium::train {

class Step {
 public:
  using Tensors = std::vector<torch::Tensor>;

  // `recorded`: whether a GPU's step may be recorded. Recipe and batches must outlive it.
  Step(Network network, const Batches& batches, const Recipe& recipe, const Device& device,
       bool recorded);

  // Runs step `number`, from 0, at a rate. Returns its loss on the device, without waiting for it.
  torch::Tensor run(const Feed& feed, double rate, std::int64_t number);

  Network& network() { return network_; }
  Tensors& state() { return state_; }        // weights, then statistics
  Tensors& averaged() { return averaged_; }  // as many, or none without averaging
  Tensors& remembered() { return optimizer_.state(); }

  bool is_replayed() const { return replay_ != nullptr; }
  const std::string& not_replayed() const { return not_replayed_; }  // why, on a GPU

 private:
  torch::Tensor computed(const Feed& fed);
  bool fits(const Feed& feed) const;  // the same sizes as before
  void record();

  Network network_;
  const Batches& batches_;
  const Recipe& recipe_;
  Device device_;
  Optimizer optimizer_;
  Tensors state_, averaged_;
  Feed fed_;            // on the device; a recorded step reads it
  torch::Tensor loss_;  // a recorded step writes it
  bool records_;
  std::int64_t ran_ = 0;  // before it was recorded
  std::string not_replayed_;
  std::unique_ptr<Replay> replay_;  // last member: destroyed before the tensors that it reads
};

}  // namespace cambium::train

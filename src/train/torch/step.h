// One step of a training and all tensors that it changes: a batch from its feed, forward, loss,
// backward, clipping, update, averaging. On a GPU the step is recorded after a few that ran as they
// are, and replayed from then on: launching one by one takes longer than computing. Where it cannot
// be recorded it goes on as it began, and says why. Called by the trainer.
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

  // `recorded`: whether a GPU's step may be. Recipe and batches outlive it.
  Step(Network network, const Batches& batches, const Recipe& recipe, const Device& device,
       bool recorded);

  // Step `number`, from 0, at a rate. Its loss, on the device: nothing waits for it.
  torch::Tensor run(const Feed& feed, double rate, std::int64_t number);

  Network& network() { return network_; }
  Tensors& state() { return state_; }        // weights, then statistics
  Tensors& averaged() { return averaged_; }  // as many, or none without averaging
  Tensors& remembered() { return optimizer_.state(); }

  bool is_replayed() const { return replay_ != nullptr; }
  const std::string& not_replayed() const { return not_replayed_; }  // why, on a GPU

 private:
  torch::Tensor computed(const Feed& fed);
  bool fits(const Feed& feed) const;  // what was fed before
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
  std::unique_ptr<Replay> replay_;  // last: it is gone before what it reads
};

}  // namespace cambium::train

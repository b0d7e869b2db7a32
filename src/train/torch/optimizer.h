// SGD, AdamW and RMSProp over all parameters at once, in few launches for any number of parameters:
// weight decay for the parameters that have it, one rate, clipping. The numbers that change from
// step to step lie in one tensor on the device, so the launches are the same in every step and can
// be replayed. Called by Step.
#pragma once

#include <cstdint>
#include <vector>

#include "train/recipe.h"
#include "train/torch/network.h"
#include "train/torch/torch.h"

namespace cambium::train {

class Optimizer {
 public:
  Optimizer(const std::vector<Parameter>& parameters, const OptimizerOptions& options);

  // The rate of the next step and its number, from 0: one copy to the device.
  void set(double rate, std::int64_t step);
  void clear();  // the gradients
  void apply();  // clips, then changes the parameters; reads nothing back from the device

  // All that it remembers between steps, in a fixed order.
  std::vector<torch::Tensor>& state() { return state_; }

 private:
  using Tensors = std::vector<torch::Tensor>;
  void clip(const Tensors& gradients) const;
  void apply_sgd(Tensors gradients, const Tensors& parameters, const Tensors& momenta);
  void apply_adamw(const Tensors& gradients, const Tensors& parameters, const Tensors& means,
                   const Tensors& squares);
  void apply_rmsprop(const Tensors& gradients, const Tensors& parameters, const Tensors& squares,
                     const Tensors& momenta);

  OptimizerOptions options_;
  Tensors parameters_;
  std::vector<bool> decays_;  // by parameter
  Tensors state_;             // one or two lists with an entry per parameter
  torch::Tensor numbers_;     // f32, on the device; see optimizer.cpp
};

// averaged = decay * averaged + (1 - decay) * now.
void average_into(const std::vector<torch::Tensor>& averaged, const std::vector<torch::Tensor>& now,
                  double decay);

}  // namespace cambium::train

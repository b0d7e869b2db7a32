// libtorch's optimizers under our options: two groups of parameters (with weight decay and
// without), one rate, clipping, and the state as bytes. Called by the trainer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "train/recipe.h"
#include "train/torch/network.h"
#include "train/torch/torch.h"

namespace torch::optim {
class Optimizer;
}

namespace cambium::train {

class Optimizer {
 public:
  Optimizer(const std::vector<Parameter>& parameters, const OptimizerOptions& options);
  ~Optimizer();

  void clear();            // the gradients
  void step(double rate);  // clips first

  std::string state() const;
  void restore(const std::string& state);  // what `state` gave; throws c10::Error for other bytes

 private:
  std::vector<torch::Tensor> all_;
  std::unique_ptr<torch::optim::Optimizer> rule_;
  double clip_;
};

}  // namespace cambium::train

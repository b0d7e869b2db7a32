// What a forward pass is worth: scores by autocast or not, the loss that is optimized, and the
// quality over a whole split. Called by the trainer.
#pragma once

#include "train/torch/batches.h"
#include "train/torch/network.h"
#include "train/trainer.h"

namespace cambium::train {

// While it lives, operators that gain from it compute in bf16, if asked for.
class Autocast {
 public:
  Autocast(Precision precision, const Device& device);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool on_;
  Device device_;
};

// Rows of f32 scores, one per target.
torch::Tensor scores_of(Network& network, const Batch& batch, Network::Mode mode,
                        Precision precision, const Device& device);

Quality evaluate(Network& network, Batches& batches, bool is_text, Precision precision,
                 const Device& device);

}  // namespace cambium::train

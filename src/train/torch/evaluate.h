// Scores of a forward pass, with or without autocast, and the quality over a whole split. Called by
// the trainer.
#pragma once

#include "train/torch/batches.h"
#include "train/torch/network.h"
#include "train/trainer.h"

namespace cambium::train {

// While it lives, operators that gain from bf16 compute in it, if asked for.
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

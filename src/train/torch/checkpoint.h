// Everything that a training needs to go on exactly where it stood, in one file: a line of JSON,
// then the bytes of the tensors. Written atomically. Refuses BadRecord for a damaged file and for
// one of another training. Called by the trainer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fingerprint.h"
#include "base/result.h"
#include "train/torch/torch.h"
#include "train/trainer.h"

namespace cambium::train {

struct Checkpoint {
  Fingerprint training;               // of model, recipe, seed and data: what may go on from here
  std::int64_t epoch = 0, index = 0;  // epochs that are complete, batches of the next that are done
  double loss_sum = 0;                // of those batches
  double first_loss = 0;
  double seconds = 0;
  std::vector<Epoch> epochs;
  std::int64_t best_epoch = 0;
  std::string stopped;                             // why a stopping rule ended it
  std::vector<torch::Tensor> now, averaged, best;  // weights, then statistics; maybe none
  std::vector<torch::Tensor> remembered;           // by the optimizer
};

Status save_checkpoint(const Checkpoint& checkpoint, const std::string& path);
Result<Checkpoint> load_checkpoint(const std::string& path, const Fingerprint& training);

}  // namespace cambium::train

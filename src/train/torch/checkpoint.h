// A checkpoint with libtorch's tensors (train/checkpoint_file.h has the file). Refuses BadRecord
// for a damaged file and for one of another training. Called by the trainer.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "train/checkpoint_file.h"
#include "train/torch/torch.h"

namespace cambium::train {

struct Checkpoint : CheckpointHead {
  std::vector<torch::Tensor> now, averaged, best;  // weights, then statistics; maybe none
  std::vector<torch::Tensor> remembered;           // by the optimizer
  std::string note;                                // CheckpointFile has it
};

Status save_checkpoint(const Checkpoint& checkpoint, const std::string& path);
Result<Checkpoint> load_checkpoint(const std::string& path, const Fingerprint& training);

}  // namespace cambium::train

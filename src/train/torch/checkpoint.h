// A checkpoint with tensors of libtorch (train/checkpoint_file.h describes the file). Refuses
// BadRecord for a damaged file and for one of another training. Called by the trainer.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "train/checkpoint_file.h"
#include "train/torch/torch.h"

namespace cambium::train {

struct Checkpoint : CheckpointHead {
  std::vector<torch::Tensor> now, averaged, best;  // weights, then statistics; may be empty
  std::vector<torch::Tensor> remembered;           // by the optimizer
  std::string note;                                // as in CheckpointFile
};

Status save_checkpoint(const Checkpoint& checkpoint, const std::string& path);
Result<Checkpoint> load_checkpoint(const std::string& path, const Fingerprint& training);

}  // namespace cambium::train

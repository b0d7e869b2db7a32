// The file of a checkpoint: everything that a training needs to continue exactly. A line with a
// checksum over the rest, a line of JSON, then the bytes of the tensors. Written atomically.
// Refuses BadRecord for a file in which any byte is damaged, and for one of another training. Files
// of format 2 are read too; their checksum covers only the tensors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/fingerprint.h"
#include "base/result.h"
#include "data/dataset.h"
#include "model/model.h"
#include "model/tensor.h"
#include "train/trainer.h"

namespace cambium::train {

struct CheckpointHead {
  Fingerprint training;      // of model, recipe, seed and data; only this training may continue
  Fingerprint classes;       // of the class names, which number the labels; zero: not known
  std::int64_t threads = 0;  // of the run that wrote it; 0: not known
  std::string device;        // of that run; empty: not known
  std::int64_t epoch = 0, index = 0;  // complete epochs, and batches of the next epoch
  double loss_sum = 0;                // over those batches
  double first_loss = 0;
  double seconds = 0;
  std::vector<Epoch> epochs;
  std::int64_t best_epoch = 0;
  std::string stopped;  // why a stopping rule ended the training
};

struct CheckpointFile {
  CheckpointHead head;
  // Weights, then statistics; `averaged` and `best` may be empty. The optimizer remembers
  // `remembered`.
  std::vector<model::Tensor> now, averaged, best, remembered;
  std::string note;  // what a file that was read does not say; empty: nothing
};

std::string checkpoint_bytes(const CheckpointFile& file);
// The first line of a file, with the checksum of the rest. Tests use it to sign files that no
// training wrote, which must be refused.
std::string checkpoint_line(std::string_view rest);
// Also refuses a head that no training writes, such as an epoch without its point on the curve, or
// an accuracy above 1.
Result<CheckpointFile> parse_checkpoint(std::string_view bytes, const Fingerprint& training);

// The training that a checkpoint belongs to.
Fingerprint training_of(const model::Model& model, const data::Dataset& data,
                        const TrainOptions& options);
// Of the names that number the classes; zero: the data has none.
Fingerprint classes_of(const data::Dataset& data);
// Refuses BadRecord for a checkpoint with other classes, because all labels would mean something
// else. A checkpoint that does not record its classes is accepted.
Status check_classes(const Fingerprint& made_with, const Fingerprint& classes);
// Whether a training could begin with its checkpoint: the file can be written, and an existing file
// is of this training and these classes.
Status check_checkpoint(const model::Model& model, const data::Dataset& data,
                        const TrainOptions& options);

Status write_checkpoint(const CheckpointFile& file, const std::string& path);
Result<CheckpointFile> read_checkpoint(const std::string& path, const Fingerprint& training);

}  // namespace cambium::train

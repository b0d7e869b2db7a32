// The file of a checkpoint: everything that a training needs to go on exactly where it stood. A
// line with a checksum over all that follows, a line of JSON, then the bytes of the tensors.
// Written atomically. Refuses BadRecord for a file that is damaged in any byte, and for one of
// another training. Files of format 2 are read too: their checksum covers the tensors alone.
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
  Fingerprint training;               // of model, recipe, seed and data: what may go on from here
  Fingerprint classes;                // of their names, which number the labels; zero: not known
  std::int64_t threads = 0;           // that it was made with, of the run before; 0: not known
  std::string device;                 // and on which; empty: not known
  std::int64_t epoch = 0, index = 0;  // epochs that are complete, batches of the next that are done
  double loss_sum = 0;                // of those batches
  double first_loss = 0;
  double seconds = 0;
  std::vector<Epoch> epochs;
  std::int64_t best_epoch = 0;
  std::string stopped;  // why a stopping rule ended it
};

struct CheckpointFile {
  CheckpointHead head;
  // Weights, then statistics; `averaged` and `best` maybe none. `remembered`: by the optimizer.
  std::vector<model::Tensor> now, averaged, best, remembered;
  std::string note;  // what is not known of a file that was read; empty: nothing
};

std::string checkpoint_bytes(const CheckpointFile& file);
// The first line of a file, with the sum over the rest of it: what nobody trained can be signed
// too, to see that it is refused.
std::string checkpoint_line(std::string_view rest);
// Of the head, what no training writes is refused as well: an epoch without its place in the curve,
// an accuracy above 1.
Result<CheckpointFile> parse_checkpoint(std::string_view bytes, const Fingerprint& training);

// What a checkpoint belongs to.
Fingerprint training_of(const model::Model& model, const data::Dataset& data,
                        const TrainOptions& options);
// Of the names that number the classes; zero: they have none.
Fingerprint classes_of(const data::Dataset& data);
// Refuses BadRecord for a checkpoint that was made with other classes: all labels mean something
// else then. One that does not say what they were is taken.
Status check_classes(const Fingerprint& made_with, const Fingerprint& classes);
// Whether a training could begin with its checkpoint: the file can be written, and one that is
// there is of this training and these classes.
Status check_checkpoint(const model::Model& model, const data::Dataset& data,
                        const TrainOptions& options);

Status write_checkpoint(const CheckpointFile& file, const std::string& path);
Result<CheckpointFile> read_checkpoint(const std::string& path, const Fingerprint& training);

}  // namespace cambium::train

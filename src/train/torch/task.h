// The data that a model is trained or judged on, as batches of a split, checked against the model.
// Refuses ShapeMismatch (image size, channels, classes, length), IndexOutOfRange (words that a
// table lacks), NotEnoughMemory for a batch that fits no memory, and what the data set refuses.
// Called by the trainer.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "data/dataset.h"
#include "model/model.h"
#include "train/recipe.h"
#include "train/torch/batches.h"

namespace cambium::train {

struct TaskOptions {
  std::int64_t batch = 128, length = 128;
  data::Augmentation augmentation = {};
  bool channels_last = true;
  bool trains = false;  // shuffled, without an incomplete last batch
  bool whole = false;   // images: Train including the carved-out validation images
  Device device;
  std::uint64_t seed = 1;
};

Result<std::unique_ptr<Batches>> batches_of(const model::Model& model, const data::Dataset& data,
                                            data::Split split, const TaskOptions& options);

// Checks that every table that the model looks its input up in has rows for these numbers.
// Otherwise libtorch throws, or does worse on a GPU. Refuses IndexOutOfRange.
Status check_tokens(const model::Model& model, std::int64_t least, std::int64_t most);

// Training keeps every activation of a batch for the backward pass. Compares their least size with
// the memory of this computer. Refuses NotEnoughMemory.
Status check_batch_memory(const model::Model& model, std::int64_t batch);

// The same refusal after an allocator has failed; `thrown` says on which device (shortage.h).
Rejection out_of_memory(const model::Model& model, std::int64_t batch, std::string_view thrown);

}  // namespace cambium::train

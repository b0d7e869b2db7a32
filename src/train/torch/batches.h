// Batches as tensors on the device of the training. Images lie there as bytes if they fit, and are
// gathered, augmented and normalized there. Otherwise their bytes are sent batch by batch. A batch
// is a pure function of the split, the options, the epoch and its number. It holds the same numbers
// as those of data::ImageLoader. Refuses what the loaders refuse. Called by the trainer.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "data/image_loader.h"
#include "data/text_loader.h"
#include "train/device.h"
#include "train/torch/torch.h"

namespace cambium::train {

struct Batch {
  torch::Tensor inputs;   // f32 [N, C, H, W], or tokens [N, length]
  torch::Tensor targets;  // i64 [N], or [N * length]
};

// The host data that one batch is made from, in pinned memory if a GPU reads it.
using Feed = std::vector<torch::Tensor>;

class Batches {
 public:
  virtual ~Batches() = default;
  virtual std::int64_t count() const = 0;    // in an epoch
  virtual std::int64_t largest() const = 0;  // samples in a batch
  virtual const torch::Device& device() const = 0;
  virtual void begin(std::int64_t epoch) = 0;
  virtual Feed feed(std::int64_t index) = 0;
  // Makes the batch from a feed on the device. It only launches kernels, the same ones for every
  // feed of these sizes, so the launches can be recorded.
  virtual Batch made(const Feed& fed) const = 0;

  Batch batch(std::int64_t index);
};

Feed brought(const Feed& feed, const torch::Device& device);

Result<std::unique_ptr<Batches>> image_batches(const data::ImageSplit& images,
                                               const data::Normalization& normalization,
                                               const data::LoaderOptions& options,
                                               const Device& device, bool channels_last);

Result<std::unique_ptr<Batches>> text_batches(const data::TextSplit& text,
                                              const data::TextLoaderOptions& options,
                                              const Device& device, torch::ScalarType tokens);

}  // namespace cambium::train

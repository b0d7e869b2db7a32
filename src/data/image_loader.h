// Loads batches of images as floats, NCHW. A batch is a pure function of the split, the options,
// the epoch and its number: every thread count and every order of calls gives the same numbers.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/thread_pool.h"
#include "data/augment.h"
#include "data/images.h"

namespace cambium::data {

struct ImageBatch {
  std::vector<float> values;
  std::array<std::int64_t, 4> dims{};  // images, channels, height, width
  std::vector<std::int32_t> labels;
};

struct LoaderOptions {
  std::int64_t batch = 128;
  bool shuffle = false;    // a new order every epoch
  bool drop_last = false;  // drop a last batch that is not full
  Augmentation augmentation = {};
  std::uint64_t seed = 1;
};

class ImageLoader {
 public:
  // Refuses (BadOption) a batch size below 1, a negative or absurd pad or cutout, and a
  // normalization without one positive deviation per channel.
  static Result<ImageLoader> make(ImageSplit images, const Normalization& normalization,
                                  const LoaderOptions& options);

  std::int64_t batches() const;  // in an epoch

  // The order of the samples of an epoch, as positions in the split.
  std::vector<std::uint32_t> order(std::int64_t epoch) const;

  // The samples of a batch and the augmentation of each: everything needed to make the batch
  // elsewhere (on a GPU).
  struct Placed {
    std::uint32_t image = 0;  // index in the set, not in the split
    std::int32_t label = 0;
    Placement at;
  };
  std::vector<Placed> placed(std::int64_t epoch, const std::vector<std::uint32_t>& order,
                             std::int64_t index) const;

  // Batch `index` in the order that `order(epoch)` returned. Compute the order once per epoch.
  ImageBatch batch(std::int64_t epoch, const std::vector<std::uint32_t>& order, std::int64_t index,
                   ThreadPool& pool) const;

 private:
  // A sample's generator depends on the epoch and the sample, not on its place in a batch.
  Rng samples_of(std::int64_t epoch) const {
    return Rng(options_.seed).split("sample").split(static_cast<std::uint64_t>(epoch));
  }
  ImageLoader(ImageSplit images, const Normalization& normalization, const LoaderOptions& options)
      : images_(std::move(images)), table_(normalization), options_(options) {}

  ImageSplit images_;
  PixelTable table_;
  LoaderOptions options_;
};

}  // namespace cambium::data

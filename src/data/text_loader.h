// Loads batches of token windows, with the next token of each as its target. As with images, a
// batch is a pure function of the split, the options, the epoch and its number.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/result.h"
#include "data/text_set.h"

namespace cambium::data {

struct TextBatch {
  std::vector<std::int32_t> inputs, targets;  // targets[i] follows inputs[i] in the text
  std::array<std::int64_t, 2> dims{};         // windows, length
};

struct TextLoaderOptions {
  std::int64_t batch = 16;
  std::int64_t length = 128;
  bool shuffle = false;  // every epoch: windows in a new order, from a new offset
  bool drop_last = false;
  std::uint64_t seed = 1;
};

class TextLoader {
 public:
  // Refuses BadOption, and NoSamples if the split is shorter than one window and its target.
  static Result<TextLoader> make(TextSplit text, const TextLoaderOptions& options);

  std::int64_t batches() const;

  // The starts of the windows of an epoch, in the order of the epoch. Windows do not overlap.
  std::vector<std::int64_t> order(std::int64_t epoch) const;
  TextBatch batch(const std::vector<std::int64_t>& order, std::int64_t index) const;

 private:
  TextLoader(TextSplit text, const TextLoaderOptions& options)
      : text_(std::move(text)), options_(options) {}
  std::int64_t windows() const;

  TextSplit text_;
  TextLoaderOptions options_;
};

}  // namespace cambium::data

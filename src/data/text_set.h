// Reads plain text for language models: one file cut into contiguous splits, or a folder with
// train.txt, test.txt and an optional valid.txt. The text is not shuffled before it is cut, because
// neighbouring passages would end up on both sides. dataset.cpp calls it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/split.h"
#include "data/vocabulary.h"

namespace cambium::data {

struct TextOptions {
  TextLevel level = TextLevel::Byte;
  std::size_t vocabulary = 0;     // most words kept; 0: all
  double test_share = 0.1;        // of a single file: its end
  double validation_share = 0.1;  // of what is left for training: its end, unless valid.txt exists
};

// The tokens of one split. Byte tokens are stored as bytes.
struct TextSplit {
  std::shared_ptr<const Vocabulary> vocabulary;
  std::string bytes;                // level Byte
  std::vector<std::int32_t> words;  // level Word

  std::size_t size() const {
    return vocabulary->level() == TextLevel::Byte ? bytes.size() : words.size();
  }
  std::int32_t token(std::size_t i) const {
    return vocabulary->level() == TextLevel::Byte ? static_cast<std::uint8_t>(bytes[i]) : words[i];
  }
};

// Refuses a missing path, and an empty split (NoSamples).
Result<TextSplit> load_text(const std::string& path, Split split, const TextOptions& options);

}  // namespace cambium::data

// A data set for tests that train: images of 8x8 whose class is the row or column that is bright,
// in the form of MNIST. A linear model learns it in two epochs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/random.h"

namespace cambium::tests {

inline std::string idx(const std::vector<std::uint32_t>& dims, std::string_view values) {
  std::string out("\0\0\x08", 3);
  out.push_back(static_cast<char>(dims.size()));
  for (const std::uint32_t dim : dims) {
    for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(dim >> shift));
  }
  return out.append(values);
}

// Reached as `mnist:FOLDER`. False: it could not be written.
inline bool write_tiny_images(const std::string& folder) {
  bool is_written = true;
  for (const std::string part : {"train", "t10k"}) {
    Rng rng(part == "train" ? 1 : 2);
    std::string pixels, labels;
    constexpr std::uint32_t kImages = 300;
    for (std::uint32_t i = 0; i < kImages; ++i) {
      const std::uint32_t label = i % 10;
      for (std::uint32_t p = 0; p < 64; ++p) {
        const bool bright = label < 5 ? p / 8 == label + 1 : p % 8 == label - 4;
        pixels.push_back(static_cast<char>((bright ? 140 : 0) + rng.below(115)));
      }
      labels.push_back(static_cast<char>(label));
    }
    const std::string stem = folder + "/" + part;
    is_written = is_written &&
                 write_file(stem + "-images-idx3-ubyte", idx({kImages, 8, 8}, pixels)).ok() &&
                 write_file(stem + "-labels-idx1-ubyte", idx({kImages}, labels)).ok();
  }
  return is_written;
}

// Classes of one letter each, whose row is bright; reached as `images:FOLDER`. Networks see three
// channels. False: it could not be written.
inline bool write_image_folder(const std::string& folder, const std::string& classes) {
  bool is_written = true;
  Rng rng(7);
  for (const std::string part : {"train", "test"}) {
    for (const char name : classes) {
      const std::string place = folder + "/" + part + "/" + name;
      std::filesystem::create_directories(place);
      for (int i = 0; i < 12; ++i) {
        std::string pixels;
        for (int p = 0; p < 64; ++p) {
          pixels.push_back(static_cast<char>((p / 8 == name - 'a' ? 140 : 0) + rng.below(115)));
        }
        const std::string file = place + "/" + std::to_string(i) + ".pgm";
        is_written = is_written && write_file(file, "P5 8 8 255\n" + pixels).ok();
      }
    }
  }
  return is_written;
}

}  // namespace cambium::tests

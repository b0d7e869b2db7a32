// Labelled images in memory: unsigned bytes, channels before rows before columns. image_loader.h
// converts to float per batch, so a data set costs one byte per value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/bytes.h"

namespace cambium::data {

struct ImageSet {
  int channels = 0, height = 0, width = 0;
  std::vector<std::uint8_t> pixels;
  std::vector<std::int32_t> labels;
  std::vector<std::string> class_names;  // one per class, in the order of the labels

  std::size_t size() const { return labels.size(); }
  std::size_t image_bytes() const {
    return static_cast<std::size_t>(channels) * static_cast<std::size_t>(height) *
           static_cast<std::size_t>(width);
  }
  Bytes image(std::size_t i) const {
    return Bytes(pixels).subspan(i * image_bytes(), image_bytes());
  }
};

// The part of a set that belongs to one split. Copies share the pixels.
struct ImageSplit {
  std::shared_ptr<const ImageSet> set;
  std::vector<std::uint32_t> members;  // ascending

  std::size_t size() const { return members.size(); }
  std::int32_t label(std::size_t i) const { return set->labels[members[i]]; }
  Bytes image(std::size_t i) const { return set->image(members[i]); }
};

}  // namespace cambium::data

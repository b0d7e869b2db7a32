// Decoding and resizing one PNG, JPEG or binary PPM/PGM image from memory. Refuses what cannot be
// decoded, what is cut short, and what is too large, before memory for it is taken.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "data/bytes.h"

namespace cambium::data {

struct DecodedImage {
  int height = 0, width = 0;
  std::vector<std::uint8_t> pixels;  // 3 planes: red, green, blue

  friend bool operator==(const DecodedImage&, const DecodedImage&) = default;
};

// Grey images get three equal planes; what is transparent shows black. With size > 0 the largest
// square in the middle is cut out and resized to size x size.
Result<DecodedImage> decode_image(Bytes file, int size);

}  // namespace cambium::data

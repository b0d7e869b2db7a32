// Decodes and resizes one PNG, JPEG or binary PPM/PGM image from memory. Refuses damaged, truncated
// and too large images before it allocates memory for them.
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

// Grey images get three equal planes; transparent pixels become black. With size > 0, the largest
// centred square is cut out and resized to size x size.
Result<DecodedImage> decode_image(Bytes file, int size);

}  // namespace cambium::data

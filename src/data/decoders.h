// The image formats behind decode_image, one function each. Every one checks the size that the
// header states before it takes memory for the pixels.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "data/bytes.h"

namespace cambium::data {

struct Raster {
  int height = 0, width = 0;
  std::vector<std::uint8_t> pixels;  // red, green, blue of each pixel, row by row
};

bool is_png(Bytes file);
bool is_jpeg(Bytes file);
bool is_pnm(Bytes file);  // P5 and P6: binary grey and colour

// Unavailable where the build has no libpng or libjpeg.
Result<Raster> decode_png(Bytes file);
Result<Raster> decode_jpeg(Bytes file);
Result<Raster> decode_pnm(Bytes file);

// A black picture of that size; refuses SizeOutOfRange.
Result<Raster> blank_raster(std::int64_t height, std::int64_t width);

}  // namespace cambium::data

// The image formats of decode_image, one function each. Each checks the size in the header before
// it allocates memory for the pixels.
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

// Refuses Unavailable if the build has no libpng or libjpeg.
Result<Raster> decode_png(Bytes file);
Result<Raster> decode_jpeg(Bytes file);
Result<Raster> decode_pnm(Bytes file);

// A black picture of that size. Refuses SizeOutOfRange.
Result<Raster> blank_raster(std::int64_t height, std::int64_t width);

}  // namespace cambium::data

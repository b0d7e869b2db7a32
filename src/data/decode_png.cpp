#include <cstring>

#include "data/decoders.h"

#ifdef CAMBIUM_DATA_HAS_PNG
#include <png.h>
#endif

namespace cambium::data {

bool is_png(Bytes file) {
  constexpr std::uint8_t kMagic[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  return file.size() >= sizeof kMagic && std::memcmp(file.data(), kMagic, sizeof kMagic) == 0;
}

#ifdef CAMBIUM_DATA_HAS_PNG

Result<Raster> decode_png(Bytes file) {
  // libpng's own interface for whole images: it answers errors with a text, without setjmp.
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&image, file.data(), file.size()) == 0)
    return Rejection(Reason::BadImage, image.message);
  image.format = PNG_FORMAT_RGB;
  Result<Raster> raster = blank_raster(image.height, image.width);
  if (!raster) {
    png_image_free(&image);
    return raster;
  }
  const png_color black{0, 0, 0};  // what shows through transparent pixels
  if (png_image_finish_read(&image, &black, raster->pixels.data(), 0, nullptr) == 0)
    return Rejection(Reason::BadImage, image.message);
  return raster;
}

#else

Result<Raster> decode_png(Bytes) {
  return Rejection(Reason::Unavailable, "PNG", "this build lacks libpng");
}

#endif

}  // namespace cambium::data

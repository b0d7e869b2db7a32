#include "data/image_decode.h"

#define STBI_NO_STDIO
#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>

#include <stb_image.h>
#include <stb_image_resize.h>

namespace cambium::data {
namespace {

constexpr std::int64_t kMaxPixels = std::int64_t{1} << 26;
constexpr int kChannels = 3;

struct FreePixels {
  void operator()(stbi_uc* pixels) const { stbi_image_free(pixels); }
};

DecodedImage planes_of(const std::uint8_t* interleaved, int height, int width) {
  DecodedImage out{height, width, {}};
  const std::size_t plane = static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
  out.pixels.resize(plane * kChannels);
  for (std::size_t p = 0; p < plane; ++p) {
    for (std::size_t c = 0; c < kChannels; ++c)
      out.pixels[c * plane + p] = interleaved[p * kChannels + c];
  }
  return out;
}

}  // namespace

Result<DecodedImage> decode_image(Bytes file, int size) {
  if (file.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    return Rejection(Reason::BadImage, "the file is larger than 2 GiB");
  const int length = static_cast<int>(file.size());
  int width = 0, height = 0, channels = 0;
  if (stbi_info_from_memory(file.data(), length, &width, &height, &channels) == 0)
    return Rejection(Reason::BadImage, "not a PNG, JPEG or binary PPM file");
  if (width < 1 || height < 1 || std::int64_t{width} * height > kMaxPixels)
    return Rejection(Reason::SizeOutOfRange, "the number of pixels", {},
                     std::int64_t{width} * height, 1, kMaxPixels);
  const std::unique_ptr<stbi_uc, FreePixels> pixels(
      stbi_load_from_memory(file.data(), length, &width, &height, &channels, kChannels));
  if (!pixels) return Rejection(Reason::BadImage, stbi_failure_reason());
  if (size == 0) return planes_of(pixels.get(), height, width);

  const int side = std::min(height, width);
  const std::size_t corner =
      (static_cast<std::size_t>((height - side) / 2) * static_cast<std::size_t>(width) +
       static_cast<std::size_t>((width - side) / 2)) *
      kChannels;
  const auto edge = static_cast<std::size_t>(size);
  std::vector<std::uint8_t> resized(edge * edge * kChannels);
  if (stbir_resize_uint8(pixels.get() + corner, side, side, width * kChannels, resized.data(), size,
                         size, 0, kChannels) == 0)
    return Rejection(Reason::BadImage, "it cannot be resized");
  return planes_of(resized.data(), size, size);
}

}  // namespace cambium::data

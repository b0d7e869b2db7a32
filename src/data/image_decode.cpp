#include "data/image_decode.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "data/decoders.h"

namespace cambium::data {
namespace {

constexpr std::int64_t kMaxSide = 1 << 14;
constexpr std::int64_t kMaxPixels = std::int64_t{1} << 25;
constexpr std::size_t kChannels = 3;

// Which input samples make an output sample, and their weights, which sum to 1.
struct Tap {
  std::size_t first = 0;
  std::vector<float> weights;
};

// A triangle as wide as two output samples, or two input samples when enlarging: bilinear, with
// everything taken into account when shrinking.
std::vector<Tap> make_taps(std::size_t from, std::size_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double reach = std::max(scale, 1.0);
  std::vector<Tap> taps(to);
  for (std::size_t i = 0; i < to; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const auto first = static_cast<std::size_t>(std::max(std::floor(centre - reach), 0.0));
    const auto last = std::min(static_cast<std::size_t>(std::ceil(centre + reach)), from);
    double sum = 0;
    std::vector<double> weights;
    for (std::size_t s = first; s < last; ++s) {
      const double distance = std::abs(static_cast<double>(s) + 0.5 - centre) / reach;
      weights.push_back(std::max(1.0 - distance, 0.0));
      sum += weights.back();
    }
    taps[i].first = first;
    for (const double weight : weights) taps[i].weights.push_back(static_cast<float>(weight / sum));
  }
  return taps;
}

DecodedImage planes_of(const Raster& raster) {
  DecodedImage out{raster.height, raster.width, {}};
  const std::size_t plane = raster.pixels.size() / kChannels;
  out.pixels.resize(raster.pixels.size());
  for (std::size_t p = 0; p < plane; ++p) {
    for (std::size_t c = 0; c < kChannels; ++c)
      out.pixels[c * plane + p] = raster.pixels[p * kChannels + c];
  }
  return out;
}

DecodedImage resize_middle(const Raster& raster, int size) {
  const auto height = static_cast<std::size_t>(raster.height);
  const auto width = static_cast<std::size_t>(raster.width);
  const auto edge = static_cast<std::size_t>(size);
  const std::size_t side = std::min(height, width);
  const std::size_t top = (height - side) / 2, left = (width - side) / 2;
  const std::vector<Tap> taps = make_taps(side, edge);

  std::vector<float> rows(side * edge * kChannels);  // resized in x, not yet in y
  for (std::size_t y = 0; y < side; ++y) {
    const std::uint8_t* source = raster.pixels.data() + ((top + y) * width + left) * kChannels;
    for (std::size_t x = 0; x < edge; ++x) {
      for (std::size_t c = 0; c < kChannels; ++c) {
        float sum = 0;
        for (std::size_t k = 0; k < taps[x].weights.size(); ++k)
          sum += taps[x].weights[k] * source[(taps[x].first + k) * kChannels + c];
        rows[(y * edge + x) * kChannels + c] = sum;
      }
    }
  }
  DecodedImage out{size, size, std::vector<std::uint8_t>(edge * edge * kChannels)};
  for (std::size_t y = 0; y < edge; ++y) {
    for (std::size_t x = 0; x < edge; ++x) {
      for (std::size_t c = 0; c < kChannels; ++c) {
        float sum = 0;
        for (std::size_t k = 0; k < taps[y].weights.size(); ++k)
          sum += taps[y].weights[k] * rows[((taps[y].first + k) * edge + x) * kChannels + c];
        out.pixels[(c * edge + y) * edge + x] =
            static_cast<std::uint8_t>(std::clamp(std::lround(sum), 0L, 255L));
      }
    }
  }
  return out;
}

Result<Raster> decode(Bytes file) {
  if (is_png(file)) return decode_png(file);
  if (is_jpeg(file)) return decode_jpeg(file);
  if (is_pnm(file)) return decode_pnm(file);
  return Rejection(Reason::BadImage, "not a PNG, JPEG or binary PPM file");
}

}  // namespace

Result<Raster> blank_raster(std::int64_t height, std::int64_t width) {
  for (const std::int64_t side : {height, width}) {
    if (side < 1 || side > kMaxSide)
      return Rejection(Reason::SizeOutOfRange, "the side of an image", {}, side, 1, kMaxSide);
  }
  if (height * width > kMaxPixels)
    return Rejection(Reason::SizeOutOfRange, "the number of pixels", {}, height * width, 1,
                     kMaxPixels);
  Raster raster{static_cast<int>(height), static_cast<int>(width), {}};
  raster.pixels.resize(static_cast<std::size_t>(height * width) * kChannels);
  return raster;
}

Result<DecodedImage> decode_image(Bytes file, int size) {
  CAMBIUM_TRY(const Raster raster, decode(file));
  return size == 0 ? planes_of(raster) : resize_middle(raster, size);
}

}  // namespace cambium::data

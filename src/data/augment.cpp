#include "data/augment.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/check.h"

namespace cambium::data {

// Draws in a fixed order and only for what is on, so that an option does not disturb itself.
Placement place(int height, int width, const Augmentation& options, const Rng& rng) {
  Placement at;
  if (options.pad > 0) {
    Rng crop = rng.split("crop");
    at.shift_y = static_cast<int>(crop.between(-options.pad, options.pad));
    at.shift_x = static_cast<int>(crop.between(-options.pad, options.pad));
  }
  if (options.flip) at.flip = rng.split("flip").chance(0.5);
  if (options.cutout > 0) {
    Rng cut = rng.split("cutout");
    const int top =
        static_cast<int>(cut.below(static_cast<std::uint64_t>(height))) - options.cutout / 2;
    const int left =
        static_cast<int>(cut.below(static_cast<std::uint64_t>(width))) - options.cutout / 2;
    at.cut_top = std::max(top, 0);
    at.cut_left = std::max(left, 0);
    at.cut_bottom = std::min(top + options.cutout, height);
    at.cut_right = std::min(left + options.cutout, width);
  }
  return at;
}

PixelTable::PixelTable(const Normalization& normalization) : tables_(normalization.mean.size()) {
  CAMBIUM_CHECK(normalization.mean.size() == normalization.deviation.size(),
                "one mean and one deviation per channel");
  for (std::size_t c = 0; c < tables_.size(); ++c) {
    for (std::size_t v = 0; v < 256; ++v) {
      const double scaled = static_cast<double>(v) / 255.0;
      tables_[c][v] =
          static_cast<float>((scaled - normalization.mean[c]) / normalization.deviation[c]);
    }
  }
}

Normalization measure_normalization(const ImageSplit& images) {
  const auto channels = static_cast<std::size_t>(images.set->channels);
  const std::size_t plane = images.set->image_bytes() / channels;
  // Counting values first keeps the sums exact, whatever the number of images.
  std::vector<std::array<std::uint64_t, 256>> counts(channels);
  for (std::size_t i = 0; i < images.size(); ++i) {
    const Bytes image = images.image(i);
    for (std::size_t p = 0; p < image.size(); ++p) ++counts[p / plane][image[p]];
  }
  Normalization out;
  const double total = static_cast<double>(std::max<std::size_t>(images.size() * plane, 1));
  for (const auto& count : counts) {
    double sum = 0, squares = 0;
    for (std::size_t v = 0; v < 256; ++v) {
      const double value = static_cast<double>(v) / 255.0;
      sum += value * static_cast<double>(count[v]);
      squares += value * value * static_cast<double>(count[v]);
    }
    const double mean = sum / total;
    const double deviation = std::sqrt(std::max(squares / total - mean * mean, 0.0));
    out.mean.push_back(mean);
    out.deviation.push_back(deviation > 1e-6 ? deviation : 1.0);
  }
  return out;
}

void convert_image(Bytes image, int height, int width, const PixelTable& table,
                   const Augmentation& augmentation, Rng rng, std::span<float> out) {
  const Placement at = place(height, width, augmentation, rng);
  std::size_t next = 0;
  for (int c = 0; c < table.channels(); ++c) {
    const std::array<float, 256>& values = table.of(c);
    for (int y = 0; y < height; ++y) {
      const int from_y = y + at.shift_y;
      const bool row_inside = from_y >= 0 && from_y < height;
      const std::uint8_t* row =
          image.data() + (static_cast<std::ptrdiff_t>(c) * height + (row_inside ? from_y : 0)) *
                             static_cast<std::ptrdiff_t>(width);
      const bool row_cut = y >= at.cut_top && y < at.cut_bottom;
      for (int x = 0; x < width; ++x, ++next) {
        const int from_x = (at.flip ? width - 1 - x : x) + at.shift_x;
        if (row_cut && x >= at.cut_left && x < at.cut_right) {
          out[next] = 0;
        } else {
          out[next] = values[row_inside && from_x >= 0 && from_x < width ? row[from_x] : 0];
        }
      }
    }
  }
}

}  // namespace cambium::data

// Converts the bytes of one image to normalized floats, with pad-and-crop, flip and cutout. It is a
// pure function of the image, the options and the generator. The loader calls it for every sample.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "data/bytes.h"
#include "data/images.h"

namespace cambium::data {

// Values are scaled to 0..1, then (value - mean) / deviation, per channel.
struct Normalization {
  std::vector<double> mean, deviation;
};

struct Augmentation {
  int pad = 0;        // add this many black pixels on every side, then crop at a random place
  bool flip = false;  // left to right, every second image
  int cutout = 0;  // side of a square of mean colour around a random pixel, clipped at the border
};

// The random choices for one image: which pixels it takes, and which square is blanked.
struct Placement {
  int shift_y = 0, shift_x = 0;
  bool flip = false;
  int cut_top = 0, cut_bottom = 0, cut_left = 0, cut_right = 0;
};
Placement place(int height, int width, const Augmentation& options, const Rng& rng);

// The normalization measured on some images. A constant channel gets deviation 1.
Normalization measure_normalization(const ImageSplit& images);

// The float for each byte value, per channel: filled once, read for every pixel.
class PixelTable {
 public:
  explicit PixelTable(const Normalization& normalization);
  int channels() const { return static_cast<int>(tables_.size()); }
  const std::array<float, 256>& of(int channel) const {
    return tables_[static_cast<std::size_t>(channel)];
  }

 private:
  std::vector<std::array<float, 256>> tables_;
};

// Fills `out`, which has room for channels x height x width floats.
void convert_image(Bytes image, int height, int width, const PixelTable& table,
                   const Augmentation& augmentation, Rng rng, std::span<float> out);

}  // namespace cambium::data

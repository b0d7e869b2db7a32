#include "data/augment.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "data/test_files.h"

namespace cambium::data {
namespace {

constexpr int kHeight = 4, kWidth = 5, kChannels = 2;
const Normalization kPlain{{0, 0}, {1.0 / 255, 1.0 / 255}};  // bytes come out as they are

std::string image() {  // values 1..40: every pixel is its own and none is black
  std::string out;
  for (int i = 1; i <= kHeight * kWidth * kChannels; ++i) out.push_back(static_cast<char>(i));
  return out;
}

std::vector<float> convert(const Normalization& normalization, const Augmentation& augmentation,
                           std::uint64_t seed) {
  std::vector<float> out(kHeight * kWidth * kChannels);
  const std::string bytes = image();
  convert_image(bytes_of(bytes), kHeight, kWidth, PixelTable(normalization), augmentation,
                Rng(seed), out);
  for (float& value : out) value = std::round(value * 1024) / 1024;
  return out;
}

TEST(Augment, NormalizesEachChannelByItsOwnMeanAndDeviation) {
  const auto out = convert({{0.5, 0.25}, {0.5, 2}}, {}, 1);
  EXPECT_NEAR(out[0], (1 / 255.0 - 0.5) / 0.5, 1e-3);
  EXPECT_NEAR(out[20], (21 / 255.0 - 0.25) / 2, 1e-3);
}

TEST(Augment, FlipMirrorsEveryRowOfHalfTheImages) {
  int flipped = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto out = convert(kPlain, {.flip = true}, seed);
    const bool mirrored = out[0] == 5;
    flipped += mirrored ? 1 : 0;
    for (int row = 0; row < kHeight * kChannels; ++row)
      for (int x = 0; x < kWidth; ++x)
        EXPECT_EQ(out[static_cast<std::size_t>(row * kWidth + x)],
                  static_cast<float>(row * kWidth + (mirrored ? kWidth - 1 - x : x) + 1));
  }
  EXPECT_GT(flipped, 70);
  EXPECT_LT(flipped, 130);
}

TEST(Augment, PadAndCropShiftsAllChannelsAlikeAndFillsWithBlack) {
  std::set<float> first_pixels;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto out = convert(kPlain, {.pad = 1}, seed);
    first_pixels.insert(out[0]);
    const std::size_t centre = kWidth + 1;  // never black with a pad of 1
    const float shift = out[centre] - static_cast<float>(centre + 1);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (out[i] == 0) continue;
      EXPECT_EQ(out[i] - static_cast<float>(i + 1), shift);
    }
  }
  // The nine shifts by -1, 0 and 1 in both directions, five of which bring black into the corner.
  EXPECT_EQ(first_pixels, (std::set<float>{0, 1, 2, 6, 7}));
}

TEST(Augment, BlackPaddingIsBlackAfterNormalization) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto out = convert({{0.5, 0.5}, {0.5, 0.5}}, {.pad = 4}, seed);
    for (const float value : out) EXPECT_LT(value, -0.6F);  // (40 / 255 - 0.5) / 0.5 at most
  }
}

TEST(Augment, CutoutBlanksOneSquareWithTheMean) {
  std::set<std::ptrdiff_t> sizes;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto out = convert(kPlain, {.cutout = 2}, seed);
    const auto half = out.begin() + kHeight * kWidth;
    EXPECT_EQ(std::count(out.begin(), half, 0.0F), std::count(half, out.end(), 0.0F));
    sizes.insert(std::count(out.begin(), half, 0.0F));
  }
  EXPECT_EQ(sizes, (std::set<std::ptrdiff_t>{1, 2, 4}));  // clipped at the border
}

TEST(Augment, MeasuresMeanAndDeviationPerChannel) {
  ImageSet set;
  set.channels = 2;
  set.height = 1;
  set.width = 2;
  set.pixels = {0, 255, 51, 51, 0, 255, 51, 51, 9, 9, 9, 9};
  set.labels = {0, 0, 0};
  const ImageSplit split{std::make_shared<const ImageSet>(set), {0, 1}};
  const Normalization measured = measure_normalization(split);
  EXPECT_NEAR(measured.mean[0], 0.5, 1e-9);
  EXPECT_NEAR(measured.deviation[0], 0.5, 1e-9);
  EXPECT_NEAR(measured.mean[1], 0.2, 1e-9);
  EXPECT_EQ(measured.deviation[1], 1.0);  // no spread
}

}  // namespace
}  // namespace cambium::data

#include "data/image_loader.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "data/test_files.h"

namespace cambium::data {
namespace {

ImageSplit forty_images() {
  ImageSet set;
  set.channels = 1;
  set.height = set.width = 6;
  const std::string pixels = test::ramp(40 * 36);
  set.pixels.assign(pixels.begin(), pixels.end());
  for (int i = 0; i < 40; ++i) set.labels.push_back(i);
  ImageSplit split{std::make_shared<const ImageSet>(std::move(set)), {}};
  for (std::uint32_t i = 0; i < 37; ++i) split.members.push_back(i);
  return split;
}

const Normalization kHalf{{0.5}, {0.5}};
const LoaderOptions kBusy{.batch = 10,
                          .shuffle = true,
                          .drop_last = false,
                          .augmentation = {.pad = 2, .flip = true, .cutout = 3},
                          .seed = 11};

std::vector<ImageBatch> epoch_of(const ImageLoader& loader, std::int64_t epoch, int threads) {
  ThreadPool pool(threads);
  const auto order = loader.order(epoch);
  std::vector<ImageBatch> out;
  for (std::int64_t i = 0; i < loader.batches(); ++i)
    out.push_back(loader.batch(epoch, order, i, pool));
  return out;
}

TEST(ImageLoader, GivesTheSameNumbersForAnyThreadCount) {
  const auto loader = ImageLoader::make(forty_images(), kHalf, kBusy);
  ASSERT_TRUE(loader.ok());
  const auto one = epoch_of(*loader, 2, 1);
  for (const int threads : {2, 5}) {
    const auto many = epoch_of(*loader, 2, threads);
    for (std::size_t i = 0; i < one.size(); ++i) {
      EXPECT_EQ(one[i].values, many[i].values);
      EXPECT_EQ(one[i].labels, many[i].labels);
    }
  }
}

TEST(ImageLoader, ShowsEverySampleOnceAnEpochInANewOrder) {
  const auto loader = ImageLoader::make(forty_images(), kHalf, kBusy);
  ASSERT_TRUE(loader.ok());
  std::vector<std::vector<std::int32_t>> seen;
  for (const std::int64_t epoch : {0, 1}) {
    std::vector<std::int32_t> labels;
    for (const ImageBatch& batch : epoch_of(*loader, epoch, 2))
      labels.insert(labels.end(), batch.labels.begin(), batch.labels.end());
    seen.push_back(labels);
    std::sort(labels.begin(), labels.end());
    EXPECT_EQ(labels.size(), 37U);
    EXPECT_EQ(std::unique(labels.begin(), labels.end()), labels.end());
  }
  EXPECT_NE(seen[0], seen[1]);
}

TEST(ImageLoader, AnotherSeedOrEpochAugmentsDifferently) {
  LoaderOptions still = kBusy;
  still.shuffle = false;
  LoaderOptions other = still;
  other.seed = 12;
  const auto a = ImageLoader::make(forty_images(), kHalf, still);
  const auto b = ImageLoader::make(forty_images(), kHalf, other);
  EXPECT_NE(epoch_of(*a, 0, 1)[0].values, epoch_of(*b, 0, 1)[0].values);
  EXPECT_NE(epoch_of(*a, 0, 1)[0].values, epoch_of(*a, 1, 1)[0].values);
  EXPECT_EQ(epoch_of(*a, 0, 1)[0].values, epoch_of(*a, 0, 1)[0].values);
}

TEST(ImageLoader, WithoutOptionsItConvertsInOrder) {
  const auto loader = ImageLoader::make(forty_images(), kHalf, {.batch = 10});
  ASSERT_TRUE(loader.ok());
  const auto batches = epoch_of(*loader, 0, 2);
  ASSERT_EQ(batches.size(), 4U);
  EXPECT_EQ(batches[3].dims, (std::array<std::int64_t, 4>{7, 1, 6, 6}));
  EXPECT_EQ(batches[3].labels.front(), 30);
  const auto byte = static_cast<std::uint8_t>(7 * (30 * 36));
  EXPECT_NEAR(batches[3].values[0], (byte / 255.0 - 0.5) / 0.5, 1e-6);
  const auto dropping = ImageLoader::make(forty_images(), kHalf, {.batch = 10, .drop_last = true});
  EXPECT_EQ(dropping->batches(), 3);
}

TEST(ImageLoader, RefusesOptionsThatMakeNoSense) {
  const auto refuses = [](const Normalization& normalization, const LoaderOptions& options) {
    const auto loader = ImageLoader::make(forty_images(), normalization, options);
    return !loader.ok() && loader.rejection().reason() == Reason::BadOption;
  };
  EXPECT_TRUE(refuses(kHalf, {.batch = 0}));
  EXPECT_TRUE(refuses(kHalf, {.augmentation = {.pad = -1}}));
  EXPECT_TRUE(refuses(kHalf, {.augmentation = {.cutout = 7}}));
  EXPECT_TRUE(refuses({{0.5, 0.5}, {0.5, 0.5}}, {}));
  EXPECT_TRUE(refuses({{0.5}, {0}}, {}));
}

}  // namespace
}  // namespace cambium::data

#include "train/torch/batches.h"

#include <gtest/gtest.h>

#include "base/thread_pool.h"
#include "data/test_files.h"

namespace cambium::train {
namespace {

data::ImageSplit color_images() {
  data::ImageSet set;
  set.channels = 3;
  set.height = 6;
  set.width = 5;
  const std::string pixels = data::test::ramp(40 * 90);
  set.pixels.assign(pixels.begin(), pixels.end());
  for (int i = 0; i < 40; ++i) set.labels.push_back(i % 7);
  data::ImageSplit split{std::make_shared<const data::ImageSet>(std::move(set)), {}};
  for (std::uint32_t i = 0; i < 37; ++i) split.members.push_back(i == 36 ? 39 : i);
  return split;
}

const data::Normalization kNormalization{{0.5, 0.4, 0.3}, {0.5, 0.25, 0.2}};

TEST(Batches, HoldTheNumbersOfTheLoaderWhateverTheAugmentation) {
  for (const data::Augmentation& augmentation :
       {data::Augmentation{}, data::Augmentation{2, false, 0}, data::Augmentation{0, true, 0},
        data::Augmentation{0, false, 3}, data::Augmentation{3, true, 4}}) {
    for (const bool channels_last : {false, true}) {
      const data::LoaderOptions options{.batch = 10,
                                        .shuffle = true,
                                        .drop_last = false,
                                        .augmentation = augmentation,
                                        .seed = 9};
      const auto loader = data::ImageLoader::make(color_images(), kNormalization, options);
      const auto batches =
          image_batches(color_images(), kNormalization, options, Device{}, channels_last);
      ASSERT_TRUE(loader.ok() && batches.ok());
      ASSERT_EQ((*batches)->count(), 4);
      ThreadPool pool(1);
      for (const std::int64_t epoch : {0, 3}) {
        (*batches)->begin(epoch);
        const auto order = loader->order(epoch);
        for (std::int64_t i = 0; i < 4; ++i) {
          const data::ImageBatch wanted = loader->batch(epoch, order, i, pool);
          const Batch made = (*batches)->batch(i);
          ASSERT_EQ(made.inputs.size(0), wanted.dims[0]);
          const torch::Tensor values = made.inputs.contiguous(torch::MemoryFormat::Contiguous);
          const auto* at = values.data_ptr<float>();
          EXPECT_EQ(std::vector<float>(at, at + values.numel()), wanted.values);
          const auto* labels = made.targets.data_ptr<std::int64_t>();
          EXPECT_EQ(std::vector<std::int32_t>(labels, labels + made.targets.numel()),
                    wanted.labels);
        }
      }
    }
  }
}

TEST(Batches, AreGivenInAnyOrderAndAgain) {
  const data::LoaderOptions options{
      .batch = 10, .shuffle = true, .drop_last = true, .augmentation = {2, true, 2}, .seed = 4};
  const auto batches = image_batches(color_images(), kNormalization, options, Device{}, false);
  ASSERT_TRUE(batches.ok());
  EXPECT_EQ((*batches)->count(), 3);
  (*batches)->begin(1);
  const torch::Tensor first = (*batches)->batch(0).inputs, last = (*batches)->batch(2).inputs;
  (*batches)->begin(0);
  EXPECT_FALSE(torch::equal((*batches)->batch(0).inputs, first));
  (*batches)->begin(1);
  EXPECT_TRUE(torch::equal((*batches)->batch(2).inputs, last));
  EXPECT_TRUE(torch::equal((*batches)->batch(0).inputs, first));
}

TEST(Batches, RefuseWhatTheLoaderRefuses) {
  const auto refused = image_batches(color_images(), kNormalization,
                                     {.batch = 4,
                                      .shuffle = false,
                                      .drop_last = false,
                                      .augmentation = {.pad = 100, .flip = false, .cutout = 0}},
                                     Device{}, false);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.rejection().reason(), Reason::BadOption);
}

}  // namespace
}  // namespace cambium::train

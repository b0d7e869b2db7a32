#include "engine/accuracy.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder_testing.h"
#include "model/builder.h"

namespace cambium::engine {
namespace {

// Five images of 4x4 in MNIST's form, whose one bright pixel is at their label, except the last.
class AccuracyTest : public testing::Test {
 protected:
  AccuracyTest() {
    const std::string labels = {3, 0, 9, 5, 1};
    std::string images;
    for (const int bright : {3, 0, 9, 5, 2}) {
      std::string image(16, '\0');
      image[static_cast<std::size_t>(bright)] = '\xff';
      images += image;
    }
    const std::string five("\0\0\0\5", 4), four("\0\0\0\4", 4);
    EXPECT_TRUE(write_file(folder_ / "t10k-images-idx3-ubyte",
                           std::string("\0\0\x08\3", 4) + five + four + four + images)
                    .ok());
    EXPECT_TRUE(
        write_file(folder_ / "t10k-labels-idx1-ubyte", std::string("\0\0\x08\1", 4) + five + labels)
            .ok());
  }

  AccuracyOptions options() const {
    AccuracyOptions out;
    out.data = "mnist:" + folder_.path();
    return out;
  }

  ScratchFolder folder_;
};

// The scores of the ten classes are the first ten pixels.
model::Model reads_pixels(model::Ints dims, std::int64_t classes = 10) {
  model::Builder b("pixels");
  const std::int64_t batch = dims[0];
  const model::Value x = b.input("x", {DType::F32, std::move(dims)});
  const model::Value flat = b.add(model::Reshape{{batch, 16}}, {x});
  b.output("y", b.add(model::Slice{{0, 0}, {batch, classes}, {1, 1}}, {flat}));
  return std::move(b).finish().value();
}

TEST_F(AccuracyTest, CountsTheSameInAnyBatchAndWithAnyThreads) {
  for (const std::int64_t batch : {1, 2, 5, 7}) {  // a last batch that is not full counts once
    for (const int threads : {1, 3}) {
      AccuracyOptions wanted = options();
      wanted.threads = threads;
      std::int64_t seen = 0;
      wanted.progress = [&](std::int64_t done, std::int64_t) { seen = std::max(seen, done); };
      const auto accuracy = measure_accuracy(reads_pixels({batch, 1, 4, 4}), wanted);
      ASSERT_TRUE(accuracy.ok()) << accuracy.rejection().message();
      EXPECT_EQ(accuracy->images, 5);
      EXPECT_EQ(accuracy->correct, 4);
      EXPECT_EQ(seen, 5);
    }
  }
}

TEST_F(AccuracyTest, StopsAtTheLimit) {
  AccuracyOptions wanted = options();
  wanted.limit = 2;
  EXPECT_EQ(measure_accuracy(reads_pixels({1, 1, 4, 4}), wanted).value().images, 2);
}

TEST_F(AccuracyTest, UsesTheNormalizationThatItIsGiven) {
  AccuracyOptions wanted = options();
  wanted.mean = {0.5};
  wanted.deviation = {0.25};
  const auto accuracy = measure_accuracy(reads_pixels({1, 1, 4, 4}), wanted);
  ASSERT_TRUE(accuracy.ok());
  EXPECT_EQ(accuracy->mean, wanted.mean);
  EXPECT_EQ(accuracy->deviation, wanted.deviation);
  wanted.mean = {0.5, 0.5, 0.5};  // the images have one channel
  EXPECT_EQ(measure_accuracy(reads_pixels({1, 1, 4, 4}), wanted).rejection().reason(),
            Reason::BadOption);
}

TEST_F(AccuracyTest, RefusesAModelThatDoesNotTakeTheImages) {
  const auto refusal = [&](const model::Model& model) {
    return measure_accuracy(model, options()).rejection().message();
  };
  EXPECT_EQ(refusal(reads_pixels({1, 1, 2, 8})),
            "input 'x': takes f32[1, 1, 2, 8], but the images are f32[1, 1, 4, 4]");
  EXPECT_EQ(refusal(reads_pixels({1, 16})),
            "input 'x': takes f32[1, 16], but the images are f32[1, 1, 4, 4]");
  EXPECT_EQ(refusal(reads_pixels({2, 1, 4, 4}, 9)),
            "output 'y': is f32[2, 9], not scores of 10 classes for each of 2 images");
}

// A folder of 4x4 images whose one bright pixel is at the number of their class in training.
TEST(AccuracyOfFolders, CountsAClassUnderTheNumberThatItWasTrainedWith) {
  const ScratchFolder folder;
  const auto write = [&](const std::string& of, std::size_t bright) {
    std::string image(16, '\x10');
    image[bright] = '\xff';
    std::filesystem::create_directories(folder / of);
    EXPECT_TRUE(write_file(folder / (of + "/1.pgm"), "P5 4 4 255\n" + image).ok());
  };
  write("train/ant", 0);
  write("train/bee", 1);
  write("train/cat", 2);
  write("test/bee", 1);
  write("test/cat", 2);
  model::Builder b("pixels");
  const model::Value x = b.input("x", {DType::F32, {1, 3, 4, 4}});
  const model::Value flat = b.add(model::Reshape{{1, 48}}, {x});
  b.output("y", b.add(model::Slice{{0, 0}, {1, 3}, {1, 1}}, {flat}));
  const model::Model perfect = std::move(b).finish().value();
  AccuracyOptions wanted;
  wanted.data = "images:" + folder.path();
  const auto accuracy = measure_accuracy(perfect, wanted);
  ASSERT_TRUE(accuracy.ok()) << accuracy.rejection().message();
  EXPECT_EQ(accuracy->images, 2);
  EXPECT_EQ(accuracy->correct, 2);
  // Without ants, bees would get their number.
  std::filesystem::remove_all(folder / "train/ant");
  const auto renumbered = measure_accuracy(perfect, wanted);
  ASSERT_FALSE(renumbered.ok());
  EXPECT_EQ(renumbered.rejection().message(),
            "output 'y': is f32[1, 3], not scores of 2 classes for each of 1 images");
  // A model that knows its classes by name is judged under its own numbers.
  wanted.classes = {"ant", "bee", "cat"};
  const auto named = measure_accuracy(perfect, wanted);
  ASSERT_TRUE(named.ok()) << named.rejection().message();
  EXPECT_EQ(named->correct, 2);
  wanted.classes = {"ant", "bee", "dog"};
  EXPECT_EQ(measure_accuracy(perfect, wanted).rejection().message(),
            "class 'cat' has no training images: the model has ant, bee, dog");
  wanted.classes = {"ant", "bee", "cat", "dog"};
  EXPECT_EQ(measure_accuracy(perfect, wanted).rejection().reason(), Reason::ShapeMismatch);
}

}  // namespace
}  // namespace cambium::engine

#include "data/mnist.h"

#include <gtest/gtest.h>

#include "data/test_files.h"

namespace cambium::data {
namespace {

using test::gzip;
using test::idx;
using test::ramp;

const std::string kImages = "train-images-idx3-ubyte";
const std::string kLabels = "train-labels-idx1-ubyte";

std::vector<std::string> three_classes() {
  return {"a", "b", "c"};
}

TEST(Mnist, ReadsImagesAndLabelsPlainOrPacked) {
  const test::TempFolder folder;
  folder.write(kImages, idx({3, 2, 4}, ramp(24)));
  folder.write(kLabels + ".gz", gzip(idx({3}, std::string("\2\0\1", 3))));
  const Result<ImageSet> set = load_mnist(folder.path(), Part::Train, three_classes());
  ASSERT_TRUE(set.ok()) << set.rejection().message();
  EXPECT_EQ(set->labels, (std::vector<std::int32_t>{2, 0, 1}));
  EXPECT_EQ(set->channels, 1);
  EXPECT_EQ(set->height, 2);
  EXPECT_EQ(set->width, 4);
  EXPECT_EQ(set->image(1)[0], static_cast<std::uint8_t>(8 * 7));
}

TEST(Mnist, NamesTheFileThatIsMissing) {
  const test::TempFolder folder;
  folder.write(kImages, idx({3, 2, 4}, ramp(24)));
  const auto labels = load_mnist(folder.path(), Part::Train, three_classes());
  ASSERT_FALSE(labels.ok());
  EXPECT_EQ(labels.rejection().message(), folder.path() + "/" + kLabels + "[.gz] does not exist");
  const auto test_part = load_mnist(folder.path(), Part::Test, three_classes());
  ASSERT_FALSE(test_part.ok());
  EXPECT_NE(test_part.rejection().message().find("t10k-images"), std::string::npos);
}

TEST(Mnist, RefusesFilesThatDoNotBelongTogether) {
  const test::TempFolder folder;
  folder.write(kImages, idx({3, 2, 4}, ramp(24)));
  folder.write(kLabels, idx({2}, std::string("\0\1", 2)));
  const auto result = load_mnist(folder.path(), Part::Train, three_classes());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.rejection().reason(), Reason::CountMismatch);
  EXPECT_NE(result.rejection().message().find("2 labels for 3 images"), std::string::npos);
}

TEST(Mnist, RefusesALabelWithoutAClass) {
  const test::TempFolder folder;
  folder.write(kImages, idx({2, 2, 2}, ramp(8)));
  folder.write(kLabels, idx({2}, std::string("\0\3", 2)));
  const auto result = load_mnist(folder.path(), Part::Train, three_classes());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.rejection().reason(), Reason::LabelOutOfRange);
}

TEST(Mnist, RefusesImagesOfAbsurdSize) {
  const test::TempFolder folder;
  folder.write(kImages, idx({1, 1, 5000}, ramp(5000)));
  folder.write(kLabels, idx({1}, std::string(1, '\0')));
  const auto result = load_mnist(folder.path(), Part::Train, three_classes());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.rejection().reason(), Reason::SizeOutOfRange);
}

}  // namespace
}  // namespace cambium::data

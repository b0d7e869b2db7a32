#include "data/image_folder.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>

#ifdef CAMBIUM_DATA_HAS_PNG
#include <png.h>
#endif
#ifdef CAMBIUM_DATA_HAS_JPEG
#include <jpeglib.h>
#endif

#include "data/classes.h"
#include "data/image_decode.h"
#include "data/test_files.h"

namespace cambium::data {
namespace {

// A picture whose left half is of one colour and whose right half is of another.
std::string halves(int height, int width, std::string_view left, std::string_view right) {
  std::string out;
  for (int i = 0; i < height * width; ++i) out += i % width < width / 2 ? left : right;
  return out;
}

#ifdef CAMBIUM_DATA_HAS_PNG
std::string png(int height, int width, const std::string& pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.height = static_cast<png_uint_32>(height);
  image.width = static_cast<png_uint_32>(width);
  image.format = PNG_FORMAT_RGB;
  std::string out(1 << 16, '\0');
  png_alloc_size_t size = out.size();
  EXPECT_NE(png_image_write_to_memory(&image, out.data(), &size, 0, pixels.data(), 0, nullptr), 0);
  out.resize(size);
  return out;
}
#endif

#ifdef CAMBIUM_DATA_HAS_JPEG
std::string jpeg(int height, int width, std::string pixels) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_height = static_cast<JDIMENSION>(height);
  info.image_width = static_cast<JDIMENSION>(width);
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 95, TRUE);
  jpeg_start_compress(&info, TRUE);
  for (int y = 0; y < height; ++y) {
    JSAMPROW row = reinterpret_cast<JSAMPROW>(pixels.data()) + y * width * 3;
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::string out(reinterpret_cast<const char*>(bytes), size);
  std::free(bytes);
  return out;
}
#endif

std::string ppm(int height, int width, const std::string& pixels) {
  return "P6\n" + std::to_string(width) + " " + std::to_string(height) + "\n255\n" + pixels;
}

const std::string kRedBlue = halves(8, 8, std::string("\xff\0\0", 3), std::string("\0\0\xff", 3));

TEST(ImageDecode, GivesPlanesFromPpmAndThreeEqualOnesFromPgm) {
  const auto colour = decode_image(bytes_of(ppm(8, 8, kRedBlue)), 0);
  ASSERT_TRUE(colour.ok()) << colour.rejection().message();
  EXPECT_EQ(colour->pixels[0], 255);           // red plane, left
  EXPECT_EQ(colour->pixels[7], 0);             // red plane, right
  EXPECT_EQ(colour->pixels[2 * 64 + 7], 255);  // blue plane, right
  const auto grey = decode_image(bytes_of("P5 # a comment\n2 1\n255\n\x09\x0a"), 0);
  ASSERT_TRUE(grey.ok()) << grey.rejection().message();
  EXPECT_EQ(grey->pixels, (std::vector<std::uint8_t>{9, 10, 9, 10, 9, 10}));
}

#ifdef CAMBIUM_DATA_HAS_PNG
TEST(ImageDecode, ReadsPngExactlyAndRefusesEveryTruncation) {
  const std::string whole = png(8, 8, kRedBlue);
  const auto image = decode_image(bytes_of(whole), 0);
  ASSERT_TRUE(image.ok()) << image.rejection().message();
  EXPECT_EQ(*image, *decode_image(bytes_of(ppm(8, 8, kRedBlue)), 0));
  for (std::size_t cut = 0; cut + 12 < whole.size(); ++cut)  // the last chunk holds nothing
    EXPECT_FALSE(decode_image(bytes_of(whole).first(cut), 0).ok()) << cut;
}
#else
TEST(ImageDecode, SaysThatPngIsNotInThisBuild) {
  EXPECT_EQ(decode_image(bytes_of("\x89PNG\r\n\x1a\n"), 0).rejection().reason(),
            Reason::Unavailable);
}
#endif

#ifdef CAMBIUM_DATA_HAS_JPEG
TEST(ImageDecode, ReadsJpegNearlyAndRefusesEveryTruncation) {
  // Grey, because colours are kept at half the resolution.
  const std::string greys = halves(8, 8, "\xc8\xc8\xc8", "\x32\x32\x32");
  const std::string whole = jpeg(8, 8, greys);
  const auto image = decode_image(bytes_of(whole), 0);
  ASSERT_TRUE(image.ok()) << image.rejection().message();
  const auto exact = decode_image(bytes_of(ppm(8, 8, greys)), 0);
  for (std::size_t i = 0; i < exact->pixels.size(); ++i)
    EXPECT_NEAR(image->pixels[i], exact->pixels[i], 6);
  for (std::size_t cut = 0; cut + 2 < whole.size(); ++cut)
    EXPECT_FALSE(decode_image(bytes_of(whole).first(cut), 0).ok()) << cut;
}
#endif

TEST(ImageDecode, CutsTheMiddleSquareAndResizes) {
  // 4 rows, 16 columns: the middle square of 4 x 4 is half red, half blue.
  const std::string wide = halves(4, 16, std::string("\xff\0\0", 3), std::string("\0\0\xff", 3));
  const auto image = decode_image(bytes_of(ppm(4, 16, wide)), 8);
  ASSERT_TRUE(image.ok()) << image.rejection().message();
  EXPECT_EQ(image->height, 8);
  EXPECT_EQ(image->width, 8);
  EXPECT_EQ(image->pixels[0], 255);
  EXPECT_EQ(image->pixels[7], 0);
}

TEST(ImageDecode, ShrinkingAveragesAndKeepsTheMean) {
  std::string stripes;
  for (int i = 0; i < 16 * 16; ++i) stripes += std::string(3, i % 2 == 0 ? '\xc8' : '\x64');
  const auto image = decode_image(bytes_of(ppm(16, 16, stripes)), 4);
  ASSERT_TRUE(image.ok()) << image.rejection().message();
  for (const std::uint8_t value : image->pixels) EXPECT_NEAR(value, 150, 4);
}

TEST(ImageDecode, RefusesWhatIsNoImageAndWhatIsCutShort) {
  EXPECT_EQ(decode_image(bytes_of("not an image"), 0).rejection().reason(), Reason::BadImage);
  EXPECT_EQ(decode_image({}, 0).rejection().reason(), Reason::BadImage);
  const std::string whole = ppm(8, 8, kRedBlue);
  const auto cut = decode_image(bytes_of(whole).first(whole.size() - 1), 0);
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.rejection().reason(), Reason::BadImage);
}

TEST(ImageDecode, RefusesAbsurdSizesFromTheHeaderAlone) {
  const auto result = decode_image(bytes_of("P6\n16000 16000\n255\nabc"), 0);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.rejection().reason(), Reason::SizeOutOfRange);
  EXPECT_FALSE(decode_image(bytes_of("P6\n2000000000 2000000000\n255\nabc"), 0).ok());
}

TEST(ImageFolder, TakesClassesAndFilesInTheOrderOfTheirNames) {
  const test::TempFolder folder;
  folder.write("train/dog/2.ppm", ppm(8, 8, kRedBlue));
  folder.write("train/dog/1.ppm", ppm(8, 8, std::string(192, '\x11')));
  folder.write("train/cat/9.ppm", ppm(8, 8, std::string(192, '\x22')));
  folder.write("train/.hidden/x", "x");
  folder.write("test/cat/1.ppm", ppm(8, 8, std::string(192, '\x33')));
  folder.write("test/dog/1.ppm", ppm(8, 8, std::string(192, '\x44')));
  ThreadPool pool(3);
  const auto train = load_image_folder(folder.path(), Part::Train, 0, pool);
  ASSERT_TRUE(train.ok()) << train.rejection().message();
  EXPECT_EQ(train->class_names, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ(train->labels, (std::vector<std::int32_t>{0, 1, 1}));
  EXPECT_EQ(train->image(0)[0], 0x22);
  EXPECT_EQ(train->image(1)[0], 0x11);
  EXPECT_EQ(train->image(2)[0], 0xff);
  const auto held_out = load_image_folder(folder.path(), Part::Test, 4, pool);
  ASSERT_TRUE(held_out.ok()) << held_out.rejection().message();
  EXPECT_EQ(held_out->height, 4);
  EXPECT_EQ(held_out->image(1)[0], 0x44);
}

TEST(ImageFolder, NumbersTheClassesOfTheTestPartAsTrainingDoes) {
  const test::TempFolder folder;
  for (const char* name : {"ant", "bee", "cat", "d\xc3\xa9j\xc3\xa0"})
    folder.write(std::string("train/") + name + "/1.ppm", ppm(8, 8, kRedBlue));
  folder.write("test/cat/1.ppm", ppm(8, 8, std::string(192, '\x33')));
  folder.write("test/d\xc3\xa9j\xc3\xa0/1.ppm", ppm(8, 8, kRedBlue));
  // A class may be a link to its images.
  folder.write("elsewhere/1.ppm", ppm(8, 8, std::string(192, '\x44')));
  std::filesystem::create_directory_symlink(folder / "elsewhere", folder / "test/bee");
  ThreadPool pool(1);
  const auto held_out = load_image_folder(folder.path(), Part::Test, 0, pool);
  ASSERT_TRUE(held_out.ok()) << held_out.rejection().message();
  EXPECT_EQ(held_out->labels, (std::vector<std::int32_t>{1, 2, 3}));
  EXPECT_EQ(held_out->image(0)[0], 0x44);
  const auto train = load_image_folder(folder.path(), Part::Train, 0, pool);
  ASSERT_TRUE(train.ok()) << train.rejection().message();
  EXPECT_EQ(held_out->class_names, train->class_names) << "also those that the test part lacks";
}

TEST(ImageFolder, RefusesAClassOfTheTestPartThatTrainingLacks) {
  const test::TempFolder folder;
  for (const char* file : {"train/ant/1.ppm", "train/bee/1.ppm", "train/kitten/1.ppm",
                           "val/ant/1.ppm", "val/dog/1.ppm"})
    folder.write(file, ppm(8, 8, kRedBlue));
  ThreadPool pool(1);
  const auto unknown = load_image_folder(folder.path(), Part::Test, 0, pool);
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.rejection().reason(), Reason::UnknownClass);
  EXPECT_EQ(unknown.rejection().message(),
            (folder / "val") + ": class 'dog' has no training images: " + (folder / "train") +
                " has ant, bee, kitten");
  // Letters count as they are written.
  std::filesystem::rename(folder / "val/dog", folder / "val/Kitten");
  const auto written = load_image_folder(folder.path(), Part::Test, 0, pool);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.rejection().message(),
            (folder / "val") + ": class 'Kitten' has no training images: " + (folder / "train") +
                " has 'kitten'");
}

TEST(ImageFolder, NumbersAClassByItsPlaceAmongTheTrainedOnes) {
  const auto numbers = class_numbers({"bee", "ant"}, {"ant", "ant", "bee"}, "the model");
  ASSERT_TRUE(numbers.ok()) << numbers.rejection().message();
  EXPECT_EQ(*numbers, (std::vector<std::int32_t>{2, 0}));
}

// Files of models keep names of classes as UTF-8.
TEST(ImageFolder, RefusesAClassWhoseNameIsNotUtf8) {
  const test::TempFolder folder;
  for (const char* file : {"train/ant/1.ppm", "train/caf\xe9/1.ppm"})
    folder.write(file, ppm(8, 8, kRedBlue));
  ThreadPool pool(1);
  const auto refused = load_image_folder(folder.path(), Part::Train, 0, pool);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.rejection().reason(), Reason::BadOption);
  EXPECT_NE(refused.rejection().message().find("train/caf\\xe9"), std::string::npos)
      << refused.rejection().message();
}

TEST(ImageFolder, RefusesAnEmptyClassOfEitherPart) {
  const test::TempFolder folder;
  for (const char* file : {"train/ant/1.ppm", "train/bee/1.ppm", "test/ant/1.ppm"})
    folder.write(file, ppm(8, 8, kRedBlue));
  ThreadPool pool(1);
  for (const char* empty : {"test/bee", "train/cat"}) {
    std::filesystem::create_directory(folder / empty);
    const auto refused = load_image_folder(folder.path(), Part::Test, 0, pool);
    ASSERT_FALSE(refused.ok()) << empty;
    EXPECT_EQ(refused.rejection().message(), (folder / empty) + " contains no images");
    std::filesystem::remove(folder / empty);
  }
  EXPECT_TRUE(load_image_folder(folder.path(), Part::Test, 0, pool).ok());
}

TEST(ImageFolder, WithoutTrainAndTestFoldersThereIsNoTestSplit) {
  const test::TempFolder folder;
  folder.write("cat/1.ppm", ppm(8, 8, kRedBlue));
  ThreadPool pool(1);
  EXPECT_TRUE(load_image_folder(folder.path(), Part::Train, 0, pool).ok());
  const auto held_out = load_image_folder(folder.path(), Part::Test, 0, pool);
  ASSERT_FALSE(held_out.ok());
  EXPECT_EQ(held_out.rejection().reason(), Reason::NoSuchSplit);
}

TEST(ImageFolder, RefusesDifferentSizesUnlessOneIsAskedFor) {
  const test::TempFolder folder;
  folder.write("cat/1.ppm", ppm(8, 8, kRedBlue));
  const std::string odd = folder.write("cat/2.ppm", ppm(4, 16, kRedBlue));
  ThreadPool pool(2);
  const auto mixed = load_image_folder(folder.path(), Part::Train, 0, pool);
  ASSERT_FALSE(mixed.ok());
  EXPECT_EQ(mixed.rejection().message(),
            odd + ": the image is 4x16, but earlier images are 8x8; scale them with size=N");
  EXPECT_EQ(mixed.rejection().reason(), Reason::ImageSizeDiffers);
  EXPECT_TRUE(load_image_folder(folder.path(), Part::Train, 8, pool).ok());
}

TEST(ImageFolder, TellsTheFirstBadFileByPath) {
  const test::TempFolder folder;
  folder.write("cat/1.ppm", ppm(8, 8, kRedBlue));
  const std::string bad = folder.write("cat/2.png", "broken");
  folder.write("cat/3.png", "broken too");
  for (const int threads : {1, 4}) {
    ThreadPool pool(threads);
    const auto result = load_image_folder(folder.path(), Part::Train, 0, pool);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.rejection().places(), std::vector<std::string>{bad});
  }
}

TEST(ImageFolder, RefusesFoldersWithoutClassesOrImages) {
  const test::TempFolder folder;
  ThreadPool pool(1);
  EXPECT_EQ(load_image_folder(folder.path(), Part::Train, 0, pool).rejection().reason(),
            Reason::NoSamples);
  std::filesystem::create_directory(folder.path() + "/cat");
  EXPECT_EQ(load_image_folder(folder.path(), Part::Train, 0, pool).rejection().reason(),
            Reason::NoSamples);
  EXPECT_EQ(load_image_folder(folder.path() + "/none", Part::Train, 0, pool).rejection().reason(),
            Reason::NotFound);
}

}  // namespace
}  // namespace cambium::data

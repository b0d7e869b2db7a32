#include "data/image_folder.h"

#include <gtest/gtest.h>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#include <stb_image_write.h>

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

void append(void* context, void* bytes, int size) {
  static_cast<std::string*>(context)->append(static_cast<const char*>(bytes),
                                             static_cast<std::size_t>(size));
}

std::string png(int height, int width, const std::string& pixels) {
  std::string out;
  stbi_write_png_to_func(append, &out, width, height, 3, pixels.data(), 0);
  return out;
}

std::string jpeg(int height, int width, const std::string& pixels) {
  std::string out;
  stbi_write_jpg_to_func(append, &out, width, height, 3, pixels.data(), 95);
  return out;
}

std::string ppm(int height, int width, const std::string& pixels) {
  return "P6\n" + std::to_string(width) + " " + std::to_string(height) + "\n255\n" + pixels;
}

const std::string kRedBlue = halves(8, 8, std::string("\xff\0\0", 3), std::string("\0\0\xff", 3));

TEST(ImageDecode, GivesPlanesFromPngAndPpmExactlyAndFromJpegNearly) {
  const auto a = decode_image(bytes_of(png(8, 8, kRedBlue)), 0);
  const auto b = decode_image(bytes_of(ppm(8, 8, kRedBlue)), 0);
  const auto c = decode_image(bytes_of(jpeg(8, 8, kRedBlue)), 0);
  ASSERT_TRUE(a.ok()) << a.rejection().message();
  ASSERT_TRUE(b.ok()) << b.rejection().message();
  ASSERT_TRUE(c.ok()) << c.rejection().message();
  EXPECT_EQ(*a, *b);
  EXPECT_EQ(a->pixels[0], 255);           // red plane, left
  EXPECT_EQ(a->pixels[7], 0);             // red plane, right
  EXPECT_EQ(a->pixels[2 * 64 + 7], 255);  // blue plane, right
  for (std::size_t i = 0; i < a->pixels.size(); ++i) EXPECT_NEAR(a->pixels[i], c->pixels[i], 60);
}

TEST(ImageDecode, CutsTheMiddleSquareAndResizes) {
  // 4 rows, 16 columns: the middle square of 4 x 4 is half red, half blue.
  const std::string wide = halves(4, 16, std::string("\xff\0\0", 3), std::string("\0\0\xff", 3));
  const auto image = decode_image(bytes_of(ppm(4, 16, wide)), 8);
  ASSERT_TRUE(image.ok()) << image.rejection().message();
  EXPECT_EQ(image->height, 8);
  EXPECT_EQ(image->width, 8);
  EXPECT_GT(image->pixels[0], 240);
  EXPECT_LT(image->pixels[7], 15);
}

TEST(ImageDecode, RefusesWhatIsNoImageAndWhatIsCutShort) {
  EXPECT_EQ(decode_image(bytes_of("not an image"), 0).rejection().reason(), Reason::BadImage);
  EXPECT_EQ(decode_image({}, 0).rejection().reason(), Reason::BadImage);
  const std::string whole = png(8, 8, kRedBlue);
  const auto cut = decode_image(bytes_of(whole).first(whole.size() - 40), 0);
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
  folder.write("train/dog/2.png", png(8, 8, kRedBlue));
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
            odd + ": is 4x16, the images before it are 8x8; give size=N");
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

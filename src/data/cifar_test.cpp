#include "data/cifar.h"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/text.h"
#include "data/test_files.h"

namespace cambium::data {
namespace {

using test::cifar_pickle;
using test::ramp;

constexpr std::size_t kImage = 3072;

// The published layout with fewer records.
CifarForm small(CifarForm form) {
  form.train_records = 3;
  form.test_records = 2;
  return form;
}

std::string binary_record(const std::string& labels, unsigned start) {
  return labels + ramp(kImage, start);
}

void write_binary10(const test::TempFolder& folder, const std::string& prefix = "") {
  for (int file = 1; file <= 5; ++file) {
    std::string content;
    for (unsigned i = 0; i < 3; ++i)
      content += binary_record(std::string(1, static_cast<char>(file + static_cast<int>(i))), i);
    folder.write(prefix + "data_batch_" + std::to_string(file) + ".bin", content);
  }
  folder.write(prefix + "test_batch.bin",
               binary_record(std::string(1, '\0'), 9) + binary_record(std::string(1, '\1'), 8));
}

void write_python10(const test::TempFolder& folder, const std::string& prefix = "") {
  std::string pixels;
  for (unsigned i = 0; i < 3; ++i) pixels += ramp(kImage, i);
  for (int file = 1; file <= 5; ++file)
    folder.write(prefix + "data_batch_" + std::to_string(file),
                 cifar_pickle("labels", {file, file + 1, file + 2}, pixels));
}

TEST(Cifar, BinaryAndPythonFormsHoldTheSameImages) {
  const test::TempFolder binary, python;
  write_binary10(binary, "cifar-10-batches-bin/");
  write_python10(python, "cifar-10-batches-py/");
  const auto a = load_cifar(binary.path(), Part::Train, small(cifar10_form()));
  const auto b = load_cifar(python.path(), Part::Train, small(cifar10_form()));
  ASSERT_TRUE(a.ok()) << a.rejection().message();
  ASSERT_TRUE(b.ok()) << b.rejection().message();
  EXPECT_EQ(a->size(), 15U);
  EXPECT_EQ(a->labels, b->labels);
  EXPECT_EQ(a->pixels, b->pixels);
  EXPECT_EQ(a->labels[14], 7);
  EXPECT_EQ(a->image(1)[0], 1);
  EXPECT_EQ(a->channels, 3);
}

TEST(Cifar, TakesClassNamesFromTheFileBeside) {
  const test::TempFolder binary, python;
  write_binary10(binary);
  binary.write("batches.meta.txt", "airplane\nb\nc\nd\ne\nf\ng\nh\ni\ntruck\n\n");
  write_python10(python);
  std::string names = "(dp1\nS'label_names'\np3\n(l";
  for (int i = 0; i < 10; ++i) names += "S'n" + std::to_string(i) + "'\na";
  python.write("batches.meta", names + "s.");
  const auto a = load_cifar(binary.path(), Part::Test, small(cifar10_form()));
  const auto b = load_cifar(python.path(), Part::Train, small(cifar10_form()));
  ASSERT_TRUE(a.ok()) << a.rejection().message();
  ASSERT_TRUE(b.ok()) << b.rejection().message();
  EXPECT_EQ(a->class_names.back(), "truck");
  EXPECT_EQ(b->class_names[3], "n3");

  binary.write("batches.meta.txt", "airplane\ntruck\n");
  const auto few = load_cifar(binary.path(), Part::Test, small(cifar10_form()));
  ASSERT_FALSE(few.ok());
  EXPECT_EQ(few.rejection().reason(), Reason::SizeOutOfRange);
}

TEST(Cifar, ReadsTheFineLabelsOfCifar100InBothForms) {
  const test::TempFolder binary, python;
  binary.write("test.bin", binary_record(std::string("\5\x63", 2), 0) +
                               binary_record(std::string("\7\2", 2), 1));
  python.write("test", cifar_pickle("fine_labels", {99, 2}, ramp(kImage, 0) + ramp(kImage, 1)));
  const auto a = load_cifar(binary.path(), Part::Test, small(cifar100_form()));
  const auto b = load_cifar(python.path(), Part::Test, small(cifar100_form()));
  ASSERT_TRUE(a.ok()) << a.rejection().message();
  ASSERT_TRUE(b.ok()) << b.rejection().message();
  EXPECT_EQ(a->labels, (std::vector<std::int32_t>{99, 2}));
  EXPECT_EQ(a->labels, b->labels);
  EXPECT_EQ(a->pixels, b->pixels);
  EXPECT_EQ(a->class_names.size(), 100U);
}

TEST(Cifar, RefusesATruncatedBatchWithPathAndBothSizes) {
  const test::TempFolder folder;
  write_binary10(folder);
  const std::string path = folder.write("data_batch_4.bin", ramp(5000));
  const auto result = load_cifar(folder.path(), Part::Train, small(cifar10_form()));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.rejection().message(), path + " holds 5000 bytes, expected 9219");
}

TEST(Cifar, RefusesAMissingBatchByPath) {
  const test::TempFolder folder;
  const auto nothing = load_cifar(folder.path(), Part::Train, cifar10_form());
  ASSERT_FALSE(nothing.ok());
  EXPECT_EQ(nothing.rejection().message(), folder.path() + "/data_batch_1[.bin] does not exist");
  write_binary10(folder);
  std::filesystem::remove(folder.path() + "/data_batch_3.bin");
  const auto one = load_cifar(folder.path(), Part::Train, small(cifar10_form()));
  ASSERT_FALSE(one.ok());
  EXPECT_EQ(one.rejection().message(), folder.path() + "/data_batch_3.bin does not exist");
}

TEST(Cifar, RefusesDamagedPicklesByPathAndPlace) {
  const test::TempFolder folder;
  write_python10(folder);
  const std::string whole = cifar_pickle("labels", {1, 2, 3}, ramp(3 * kImage));
  const auto load = [&](const std::string& content) {
    folder.write("data_batch_2", content);
    const auto result = load_cifar(folder.path(), Part::Train, small(cifar10_form()));
    EXPECT_FALSE(result.ok());
    return result.ok() ? "" : result.rejection().message();
  };
  EXPECT_NE(load(whole.substr(0, 4000)).find("/data_batch_2: this is not a pickle"),
            std::string::npos);
  EXPECT_NE(load(cifar_pickle("labels", {1, 2}, ramp(2 * kImage))).find("of shape 3 x 3072"),
            std::string::npos);
  EXPECT_NE(load(cifar_pickle("labels", {1, 2, 10}, ramp(3 * kImage))).find("record 2 is 10"),
            std::string::npos);
  EXPECT_NE(load(cifar_pickle("wrong", {1, 2, 3}, ramp(3 * kImage))).find("'labels' is missing"),
            std::string::npos);
}

// Files that Python itself writes, in the protocols that people re-pack CIFAR with.
TEST(Cifar, ReadsPicklesWrittenByPythonAndNumpy) {
  const std::string python = "/usr/bin/python3";
  if (std::system((python + " -c 'import numpy' 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << "needs " << python << " with numpy (Debian: python3-numpy)";
  for (const int protocol : {0, 1, 2, 3}) {
    const test::TempFolder folder;
    const std::string script = folder.write(
        "make.py",
        "import sys, pickle, numpy\n"
        "data = (numpy.arange(2 * 3072) % 251).astype(numpy.uint8).reshape(2, 3072)\n"
        "batch = {'batch_label': 'testing', 'fine_labels': [7, 99], 'data': data,\n"
        "         'filenames': ['a.png', 'b.png']}\n"
        "pickle.dump(batch, open(sys.argv[1] + '/test', 'wb'), protocol=int(sys.argv[2]))\n");
    ASSERT_EQ(
        std::system(
            (python + " " + script + " " + folder.path() + " " + std::to_string(protocol)).c_str()),
        0);
    const auto set = load_cifar(folder.path(), Part::Test, small(cifar100_form()));
    if (protocol == 0) {  // the published files have no arrays in this one
      EXPECT_FALSE(set.ok());
      continue;
    }
    ASSERT_TRUE(set.ok()) << set.rejection().message();
    EXPECT_EQ(set->labels, (std::vector<std::int32_t>{7, 99}));
    EXPECT_EQ(set->image(1)[5], (3072 + 5) % 251);
  }
}

// CAMBIUM_CIFAR10 names a folder with the real files, in either form.
TEST(Cifar, RealCifar10HasItsPublishedCounts) {
  const char* folder = std::getenv("CAMBIUM_CIFAR10");
  if (folder == nullptr) GTEST_SKIP() << "set CAMBIUM_CIFAR10 to a folder that holds CIFAR-10";
  const auto train = load_cifar(folder, Part::Train, cifar10_form());
  ASSERT_TRUE(train.ok()) << train.rejection().message();
  std::vector<int> counts(10);
  for (const std::int32_t label : train->labels) ++counts[static_cast<std::size_t>(label)];
  EXPECT_EQ(counts, std::vector<int>(10, 5000));
  const auto held_out = load_cifar(folder, Part::Test, cifar10_form());
  ASSERT_TRUE(held_out.ok()) << held_out.rejection().message();
  EXPECT_EQ(held_out->size(), 10000U);
}

}  // namespace
}  // namespace cambium::data

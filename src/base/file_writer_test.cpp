#include "base/file_writer.h"

#include <filesystem>
#include <iterator>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/scratch_folder_testing.h"

namespace cambium {
namespace {

namespace fs = std::filesystem;

class FileWriterTest : public testing::Test {
 protected:
  std::string path() const { return folder_ / "file"; }
  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator());
  }

  ScratchFolder folder_;
};

TEST_F(FileWriterTest, WritesSmallAndLargePiecesInTheirOrder) {
  auto writer = FileWriter::create(path());
  ASSERT_TRUE(writer.ok());
  std::string all;
  for (int i = 0; i < 60; ++i) {
    const std::string piece(static_cast<std::size_t>(i * i * 41), static_cast<char>('a' + i % 26));
    ASSERT_TRUE(writer->write(piece).ok());
    all += piece;
  }
  EXPECT_FALSE(fs::exists(path())) << "before it is whole";
  ASSERT_TRUE(writer->finish().ok());
  EXPECT_EQ(*read_file(path()), all);
  EXPECT_EQ(files(), 1);
}

TEST_F(FileWriterTest, LeavesTheOldFileAndNoOtherWhereItDoesNotFinish) {
  ASSERT_TRUE(write_file(path(), "old").ok());
  {
    auto writer = FileWriter::create(path());
    ASSERT_TRUE(writer->write("new").ok());
    const FileWriter moved = std::move(*writer);
    EXPECT_EQ(files(), 2);
  }
  EXPECT_EQ(*read_file(path()), "old");
  EXPECT_EQ(files(), 1);
}

// Such as somebody may put there who knows the name that comes next.
TEST_F(FileWriterTest, WritesThroughNoLink) {
  ASSERT_TRUE(write_file(folder_ / "victim", "kept").ok());
  std::string taken;
  {
    auto first = FileWriter::create(path());
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      if (entry.path().filename() != "victim") taken = entry.path().string();
    }
  }
  fs::create_symlink(folder_ / "victim", taken);
  auto writer = FileWriter::create(path());
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE(writer->write("new").ok());
  ASSERT_TRUE(writer->finish().ok());
  EXPECT_EQ(*read_file(folder_ / "victim"), "kept");
  EXPECT_EQ(*read_file(path()), "new");
  EXPECT_FALSE(fs::is_symlink(path()));
}

// As root, `-o /dev/null` would put a file in its place.
TEST_F(FileWriterTest, ReplacesNoPipesAndDevices) {
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  fs::create_symlink("/dev/null", folder_ / "link");
  for (const std::string& taken : {path(), folder_ / "link"}) {
    const auto refused = FileWriter::create(taken);
    ASSERT_FALSE(refused.ok()) << taken;
    EXPECT_EQ(refused.rejection().reason(), Reason::Unwritable);
  }
  EXPECT_TRUE(fs::is_fifo(path()));
  EXPECT_EQ(files(), 2);
}

TEST_F(FileWriterTest, RefusesAFolderThatIsNotThere) {
  const auto refused = FileWriter::create(folder_ / "none/file");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.rejection().reason(), Reason::Unwritable);
}

}  // namespace
}  // namespace cambium

#include "base/file.h"

#include <cstddef>
#include <filesystem>
#include <iterator>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/scratch_folder_testing.h"

namespace cambium {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  std::string path(const char* name) const { return folder_ / name; }
  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator());
  }

  ScratchFolder folder_;
};

TEST_F(FileTest, GivesBackEveryByteThatWasWritten) {
  std::string content(100'000, 'x');
  content[7] = '\0';
  content.back() = '\n';
  ASSERT_TRUE(write_file(path("a"), content).ok());
  EXPECT_EQ(*read_file(path("a")), content);
  ASSERT_TRUE(write_file(path("a"), "").ok());
  EXPECT_EQ(*read_file(path("a")), "");
  EXPECT_EQ(files(), 1);
}

TEST_F(FileTest, RefusesWhatIsNotThereOrNotAFile) {
  EXPECT_EQ(read_file(path("none")).rejection().reason(), Reason::NotFound);
  EXPECT_EQ(read_file(folder_.path()).rejection().reason(), Reason::Unreadable);
  EXPECT_EQ(read_file("/dev/zero").rejection().reason(), Reason::Unreadable);
}

TEST_F(FileTest, RefusesToReadMoreThanTheLimit) {
  ASSERT_TRUE(write_file(path("a"), "12345").ok());
  EXPECT_TRUE(read_file(path("a"), 5).ok());
  EXPECT_EQ(read_file(path("a"), 4).rejection().reason(), Reason::TooLarge);
}

TEST_F(FileTest, ReadsWhereTheSizeIsNotKnownBefore) {
  EXPECT_FALSE(read_file("/proc/self/stat")->empty());
  EXPECT_EQ(read_file("/proc/self/stat", 3).rejection().reason(), Reason::TooLarge);
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(*read_file(path("pipe")), "");  // nobody writes: empty, and no waiting
}

TEST_F(FileTest, AFailedWriteLeavesNothingBehind) {
  fs::create_directory(folder_ / "folder");
  const Status refused = write_file(path("folder"), "x");
  EXPECT_EQ(refused.rejection().reason(), Reason::Unwritable);
  EXPECT_EQ(files(), 1);
  EXPECT_EQ(write_file(path("none/a"), "x").rejection().reason(), Reason::Unwritable);
}

TEST_F(FileTest, AReaderSeesTheOldOrTheNewFileAndNeverAHalf) {
  const std::string old_content(1 << 16, 'a');
  const std::string new_content(1 << 16, 'b');
  ASSERT_TRUE(write_file(path("a"), old_content).ok());
  std::thread writer([&] {
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(write_file(path("a"), i % 2 == 0 ? new_content : old_content).ok());
    }
  });
  for (int i = 0; i < 200; ++i) {
    const std::string seen = *read_file(path("a"));
    EXPECT_TRUE(seen == old_content || seen == new_content);
  }
  writer.join();
}

}  // namespace
}  // namespace cambium

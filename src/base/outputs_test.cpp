#include "base/outputs.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/scratch_folder_testing.h"

namespace cambium {
namespace {

std::size_t entries_in(const std::string& folder) {
  std::size_t count = 0;
  for (const auto& each : std::filesystem::directory_iterator(folder)) count += each.exists();
  return count;
}

std::string refusal(const Status& status) {
  if (status.ok()) return "";
  EXPECT_EQ(status.rejection().reason(), Reason::Unwritable);
  return status.rejection().message();
}

TEST(Outputs, MayBeNewFilesAndOldOnes) {
  const ScratchFolder folder;
  EXPECT_EQ(refusal(check_output_file(folder / "new")), "");
  ASSERT_TRUE(write_file(folder / "old", "as it was").ok());
  EXPECT_EQ(refusal(check_output_file(folder / "old")), "");
  EXPECT_EQ(read_file(folder / "old").value(), "as it was");
  EXPECT_EQ(entries_in(folder.path()), 1U) << "nothing is left";
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  EXPECT_EQ(refusal(check_output_file("plain")), "");
  EXPECT_EQ(refusal(check_output_folder("plain")), "");
  std::filesystem::current_path(before);
}

TEST(Outputs, AreNoFoldersAndStandInOnes) {
  const ScratchFolder folder;
  EXPECT_EQ(refusal(check_output_file(folder.path())),
            folder.path() + " cannot be written: it is a folder");
  const std::string missing = folder / "none/file";
  EXPECT_EQ(refusal(check_output_file(missing)),
            missing + " cannot be written: No such file or directory");
  ASSERT_TRUE(write_file(folder / "file", "").ok());
  const std::string inside = folder / "file/inside";
  EXPECT_EQ(refusal(check_output_file(inside)), inside + " cannot be written: Not a directory");
  const std::string longest = folder / std::string(300, 'x');
  EXPECT_EQ(refusal(check_output_file(longest)),
            longest + " cannot be written: File name too long");
  EXPECT_NE(refusal(check_output_file("/proc/new")), "") << "no file system for files";
}

// What is written stands beside the file first, under a longer name.
TEST(Outputs, HaveNamesThatTheWriterCanUse) {
  const ScratchFolder folder;
  const std::string longest = folder / std::string(252, 'x');
  EXPECT_EQ(refusal(check_output_file(longest)),
            longest + " cannot be written: File name too long");
  EXPECT_FALSE(write_file(longest, "").ok());
  const std::string shorter = folder / std::string(200, 'x');
  EXPECT_EQ(refusal(check_output_file(shorter)), "");
  EXPECT_TRUE(write_file(shorter, "").ok());
}

constexpr uid_t kNobody = 65534;

struct AsNobody {
  AsNobody() { EXPECT_EQ(::seteuid(kNobody), 0); }
  ~AsNobody() { EXPECT_EQ(::seteuid(0), 0); }
};

// As in /tmp: whoever may make files there may still not replace those of others.
TEST(Outputs, ReplaceNoFilesOfOthersInFoldersOfAll) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs two users";
  const ScratchFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 01777), 0);
  const std::string root_s = folder / "of_root", theirs = folder / "of_nobody";
  const std::string link = folder / "link_of_root";
  ASSERT_TRUE(write_file(root_s, "").ok() && write_file(theirs, "").ok());
  ASSERT_EQ(::chown(theirs.c_str(), kNobody, kNobody), 0);
  ASSERT_EQ(::symlink(theirs.c_str(), link.c_str()), 0);
  EXPECT_EQ(refusal(check_output_file(theirs)), "") << "root may";
  {
    const AsNobody nobody;
    for (const std::string& path : {root_s, link}) {
      EXPECT_EQ(refusal(check_output_file(path)),
                path + " cannot be written: Operation not permitted");
      EXPECT_FALSE(write_file(path, "").ok()) << path;
    }
    for (const std::string& path : {theirs, folder / "new"}) {
      EXPECT_EQ(refusal(check_output_file(path)), "");
      EXPECT_TRUE(write_file(path, "").ok()) << path;
    }
  }
  ASSERT_EQ(::chown(folder.path().c_str(), kNobody, kNobody), 0);
  const AsNobody nobody;
  EXPECT_EQ(refusal(check_output_file(root_s)), "") << "the folder is theirs";
  EXPECT_TRUE(write_file(root_s, "").ok());
}

TEST(Outputs, MayBeFoldersThatAreThereOrCanBeMade) {
  const ScratchFolder folder;
  for (const std::string& path : {folder.path(), folder.path() + "/", folder / "new",
                                  folder / "new/deeper/", folder / "new/../other"}) {
    EXPECT_EQ(refusal(check_output_folder(path)), "") << path;
  }
  EXPECT_EQ(entries_in(folder.path()), 0U) << "it only asks";
  ASSERT_TRUE(write_file(folder / "file", "").ok());
  EXPECT_EQ(refusal(check_output_folder(folder / "file")),
            (folder / "file") + " cannot be written: it is not a folder");
  EXPECT_NE(refusal(check_output_folder(folder / "file/inside")), "");
  EXPECT_NE(refusal(check_output_folder("/proc/new/folder")), "");
}

}  // namespace
}  // namespace cambium

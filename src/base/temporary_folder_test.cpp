#include "base/temporary_folder.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/scratch_folder_testing.h"

namespace cambium {
namespace {

namespace fs = std::filesystem;

// TMPDIR, while this lives.
class TemporaryRoot {
 public:
  explicit TemporaryRoot(const std::string& path) {
    if (const char* before = std::getenv("TMPDIR"); before != nullptr) before_ = before;
    ::setenv("TMPDIR", path.c_str(), 1);
  }
  ~TemporaryRoot() {
    if (before_.has_value()) {
      ::setenv("TMPDIR", before_->c_str(), 1);
    } else {
      ::unsetenv("TMPDIR");
    }
  }

 private:
  std::optional<std::string> before_;
};

std::ptrdiff_t entries_of(const std::string& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

TEST(TemporaryFolder, IsPrivateAndGoneAtTheEnd) {
  const ScratchFolder root;
  const TemporaryRoot tmpdir(root.path());
  {
    const auto one = TemporaryFolder::make();
    const auto two = TemporaryFolder::make();
    ASSERT_TRUE(one.ok() && two.ok());
    EXPECT_NE(one->path(), two->path());
    EXPECT_EQ(fs::path(one->path()).parent_path(), root.path());
    EXPECT_EQ(fs::status(one->path()).permissions(), fs::perms::owner_all);
    std::ofstream(*one / "file") << "x";
    EXPECT_EQ(entries_of(root.path()), 2);
  }
  EXPECT_EQ(entries_of(root.path()), 0);
}

TEST(TemporaryFolder, KeepsWhatItIsToldToKeepAndNoEmptyFolder) {
  const ScratchFolder root;
  for (const bool is_filled : {false, true}) {
    auto folder = TemporaryFolder::make_beside(root / "kept");
    ASSERT_TRUE(folder.ok());
    folder->keep_files();
    if (is_filled) std::ofstream(*folder / "file") << "x";
  }
  EXPECT_EQ(entries_of(root.path()), 1);
}

TEST(TemporaryFolder, TakesAnEmptyVariableForNone) {
  const TemporaryRoot tmpdir("");
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.ok()) << folder.rejection().message();
}

TEST(TemporaryFolder, RefusesARootThatIsNotThere) {
  const ScratchFolder root;
  const TemporaryRoot tmpdir(root / "none");
  const auto folder = TemporaryFolder::make();
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.rejection().reason(), Reason::Unwritable);
  EXPECT_NE(folder.rejection().message().find(root / "none"), std::string::npos)
      << folder.rejection().message();
  const auto beside = TemporaryFolder::make_beside(root / "none/study.work");
  ASSERT_FALSE(beside.ok());
  EXPECT_NE(beside.rejection().message().find("none/study.work"), std::string::npos);
}

// How many descriptors this process may have, while this lives.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(rlim_t most) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit now{most, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &now);
  }
  ~DescriptorLimit() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_ = {};
};

// The number that the next descriptor gets.
rlim_t next_descriptor() {
  const Descriptor next(::dup(0));
  return static_cast<rlim_t>(next.get());
}

TEST(TemporaryFolder, RefusesWithoutDescriptorsAndLeavesNoFolder) {
  const ScratchFolder root;
  const TemporaryRoot tmpdir(root.path());
  for (const rlim_t left :
       {rlim_t{0}, rlim_t{1}}) {  // one is enough for the folder, not for what goes into it
    const DescriptorLimit limit(next_descriptor() + left);
    const auto beside = TemporaryFolder::make_beside(root / "s.work");
    ASSERT_FALSE(beside.ok()) << left;
    EXPECT_EQ(beside.rejection().reason(), Reason::Unwritable);
    EXPECT_NE(beside.rejection().message().find("Too many open files"), std::string::npos)
        << beside.rejection().message();
  }
  {
    const DescriptorLimit limit(next_descriptor());
    EXPECT_FALSE(TemporaryFolder::make().ok());
  }
  EXPECT_EQ(entries_of(root.path()), 0);
}

// A folder of the user's, and a copy of an orphan that the user made.
TEST(TemporaryFolder, LeavesFoldersOfOthersThatAreCalledAlike) {
  const ScratchFolder root;
  fs::create_directory(root / "s.work.backup");
  std::ofstream(root / "s.work.backup/precious") << "x";
  {
    const auto mine = TemporaryFolder::make_beside(root / "s.work");
    ASSERT_TRUE(mine.ok());
    std::ofstream(*mine / "copied") << "x";
    fs::copy(mine->path(), root / "s.work.copied", fs::copy_options::recursive);
  }
  ASSERT_TRUE(TemporaryFolder::make_beside(root / "s.work").ok());
  EXPECT_TRUE(fs::exists(root / "s.work.backup/precious"));
  EXPECT_TRUE(fs::exists(root / "s.work.copied/copied"));
}

TEST(TemporaryFolder, WhatItKeepsIsNoOrphan) {
  const ScratchFolder root;
  std::string kept;
  {
    auto folder = TemporaryFolder::make_beside(root / "s.work");
    ASSERT_TRUE(folder.ok());
    folder->keep_files();
    std::ofstream(kept = *folder / "file") << "x";
  }
  ASSERT_TRUE(TemporaryFolder::make_beside(root / "s.work").ok());
  EXPECT_TRUE(fs::exists(kept));
}

// What a process has left is told from what one has by the lock, not by a number that means another
// process, or none, in another namespace.
TEST(TemporaryFolder, TakesAwayWhatTheDeadLeftAndNothingElse) {
  const ScratchFolder root;
  const std::string stem = root / "s.work";
  auto living = TemporaryFolder::make_beside(stem);
  ASSERT_TRUE(living.ok());
  std::ofstream(*living / "file") << "x";
  const pid_t child = ::fork();
  if (child == 0) {
    auto mine = TemporaryFolder::make_beside(stem);
    if (mine.ok()) std::ofstream(*mine / "left") << "x";
    (void)::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(entries_of(root.path()), 2) << "the child left one";
  fs::create_directory(root / "s.work.of-somebody-else");
  const auto next = TemporaryFolder::make_beside(stem);
  ASSERT_TRUE(next.ok());
  EXPECT_TRUE(fs::exists(*living / "file")) << "it is in use";
  EXPECT_EQ(entries_of(root.path()), 3) << "that of the child is gone";
}

TEST(TemporaryFolder, IsRemovedOnceWhenItWasMoved) {
  const ScratchFolder root;
  auto first = TemporaryFolder::make_beside(root / "a");
  ASSERT_TRUE(first.ok());
  std::optional<TemporaryFolder> second(std::move(first).value());
  EXPECT_TRUE(fs::exists(second->path()));
  second.reset();
  EXPECT_EQ(entries_of(root.path()), 0);
}

}  // namespace
}  // namespace cambium

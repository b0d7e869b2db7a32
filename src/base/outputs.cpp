#include "base/outputs.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

#include "base/file_writer.h"

namespace cambium {
namespace {

namespace fs = std::filesystem;

Rejection unwritable(const std::string& path, int error) {
  return Rejection(Reason::Unwritable, path, std::generic_category().message(error));
}

// Permissions do not tell: root has them all, and a file system may be read-only or full.
Status check_takes_files(const fs::path& folder, const std::string& path) {
  std::string name = (folder / ".cambium.XXXXXX").string();
  const int descriptor = ::mkstemp(name.data());
  if (descriptor < 0) return unwritable(path, errno);
  (void)::close(descriptor);
  (void)::unlink(name.c_str());
  return Ok{};
}

// In a folder with the sticky bit, as /tmp is, only its owner and that of a file may replace it.
// A link is replaced itself, not what it leads to.
Status check_may_be_replaced(const std::string& path, const fs::path& folder) {
  struct stat file = {}, around = {};
  if (::lstat(path.c_str(), &file) != 0 || ::stat(folder.c_str(), &around) != 0) return Ok{};
  const uid_t user = ::geteuid();
  const bool may =
      (around.st_mode & S_ISVTX) == 0 || user == 0 || user == file.st_uid || user == around.st_uid;
  if (!may) return unwritable(path, EPERM);
  return Ok{};
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

}  // namespace

Status check_output_file(const std::string& path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0 && errno != ENOENT) return unwritable(path, errno);
  CAMBIUM_REQUIRE(check_may_be_replaced(path, folder_of(path)));
  // By the writer itself, whose file has a longer name until it is whole.
  CAMBIUM_REQUIRE(FileWriter::create(path));
  return Ok{};
}

Status check_output_folder(const std::string& path) {
  // The folder itself, or the nearest one around it that is there.
  for (fs::path folder = fs::path(path).lexically_normal();; folder = folder_of(folder)) {
    struct stat info = {};
    const std::string name = folder.empty() ? "." : folder.string();
    if (::stat(name.c_str(), &info) == 0) {
      if (!S_ISDIR(info.st_mode)) {
        return Rejection(Reason::Unwritable, path,
                         name == path ? "it is not a folder" : name + " is not a folder");
      }
      return check_takes_files(name, path);
    }
    if (errno != ENOENT) return unwritable(path, errno);
    if (folder == folder_of(folder)) return unwritable(path, ENOENT);
  }
}

}  // namespace cambium

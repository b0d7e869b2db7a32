#include "base/file.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cambium {
namespace {

std::string error_text(int error) {
  return std::generic_category().message(error);
}

// Closes on every way out; `close` tells the outcome where it matters (after writing).
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { (void)close(); }

  int get() const { return descriptor_; }
  bool close() {
    const int descriptor = std::exchange(descriptor_, -1);
    return descriptor < 0 || ::close(descriptor) == 0;
  }

 private:
  int descriptor_;
};

bool write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// A new file with a name nobody else has; mkstemp would ignore the umask.
File create_beside(const std::string& path, std::string& name) {
  for (int i = 0;; ++i) {
    name = path + ".tmp" + std::to_string(::getpid()) + "." + std::to_string(i);
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return File(descriptor);
  }
}

// Best effort: not every file system lets a folder be synced.
void sync_folder(const std::filesystem::path& folder) {
  const File file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.get() >= 0) (void)::fsync(file.get());
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::int64_t limit) {
  // Non-blocking, or opening a pipe nobody writes to would wait for ever.
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    if (errno == ENOENT) return Rejection(Reason::NotFound, path);
    return Rejection(Reason::Unreadable, path, error_text(errno));
  }
  struct stat info = {};
  if (::fstat(file.get(), &info) != 0) {
    return Rejection(Reason::Unreadable, path, error_text(errno));
  }
  if (S_ISDIR(info.st_mode)) return Rejection(Reason::Unreadable, path, "it is a folder");
  if (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode)) {
    return Rejection(Reason::Unreadable, path, "it is a device");
  }
  (void)::fcntl(file.get(), F_SETFL, 0);  // a pipe that somebody does write to is waited for
  if (info.st_size > limit) return Rejection(Reason::TooLarge, path, "", info.st_size, limit);

  // The size is only a hint: /proc and pipes say 0, and a file may grow while it is read. One byte
  // more than the hint, so that the usual file needs no second round.
  std::string content(static_cast<std::size_t>(std::max<std::int64_t>(info.st_size + 1, 4096)), 0);
  for (std::size_t size = 0;;) {
    if (size == content.size()) content.resize(size * 2);
    const ssize_t got = ::read(file.get(), content.data() + size, content.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Rejection(Reason::Unreadable, path, error_text(errno));
    size += static_cast<std::size_t>(got);
    if (static_cast<std::int64_t>(size) > limit) {
      return Rejection(Reason::TooLarge, path, "", static_cast<std::int64_t>(size), limit);
    }
    if (got == 0) {
      content.resize(size);
      return content;
    }
  }
}

Status write_file(const std::string& path, std::string_view content) {
  std::string temporary;
  File file = create_beside(path, temporary);
  if (file.get() < 0) return Rejection(Reason::Unwritable, path, error_text(errno));
  const bool written = write_all(file.get(), content) && ::fsync(file.get()) == 0 && file.close() &&
                       ::rename(temporary.c_str(), path.c_str()) == 0;
  if (!written) {
    const int error = errno;
    (void)::unlink(temporary.c_str());
    return Rejection(Reason::Unwritable, path, error_text(error));
  }
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  sync_folder(folder.empty() ? "." : folder);
  return Ok{};
}

}  // namespace cambium

#include "base/file_writer.h"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cambium {
namespace {

constexpr std::size_t kBuffer = 1 << 16;

// Zero, or the error.
int write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

// Best effort: not every file system lets a folder be synced.
void sync_folder(const std::filesystem::path& folder) {
  const Descriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.get() >= 0) (void)::fsync(file.get());
}

}  // namespace

FileWriter::FileWriter(std::string path, std::string temporary, Descriptor file)
    : path_(std::move(path)), temporary_(std::move(temporary)), file_(std::move(file)) {}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      file_(std::move(other.file_)),
      buffer_(std::move(other.buffer_)) {}

FileWriter::~FileWriter() {
  if (!temporary_.empty()) (void)::unlink(temporary_.c_str());
}

Rejection FileWriter::failed(int error) const {
  return Rejection(Reason::Unwritable, path_, std::generic_category().message(error));
}

// mkstemp would ignore the umask.
Result<FileWriter> FileWriter::create(const std::string& path) {
  struct stat info = {};
  // Renaming would put a file in the place of /dev/null.
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    return Rejection(Reason::Unwritable, path,
                     S_ISDIR(info.st_mode) ? "it is a folder" : "it is not a regular file");
  }
  for (int i = 0;; ++i) {
    std::string name = path + ".tmp" + std::to_string(::getpid()) + "." + std::to_string(i);
    Descriptor file(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.get() >= 0) return FileWriter(path, std::move(name), std::move(file));
    if (errno != EEXIST) {
      return Rejection(Reason::Unwritable, path, std::generic_category().message(errno));
    }
  }
}

Status FileWriter::flush() {
  const int error = write_all(file_.get(), std::exchange(buffer_, {}));
  if (error != 0) return failed(error);
  return Ok{};
}

Status FileWriter::write(std::string_view piece) {
  if (buffer_.size() + piece.size() > kBuffer) CAMBIUM_REQUIRE(flush());
  if (piece.size() < kBuffer) {
    buffer_ += piece;
    return Ok{};
  }
  const int error = write_all(file_.get(), piece);
  if (error != 0) return failed(error);
  return Ok{};
}

Status FileWriter::finish() {
  CAMBIUM_REQUIRE(flush());
  if (::fsync(file_.get()) != 0) return failed(errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return failed(errno);
  temporary_.clear();
  file_.reset();
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  sync_folder(folder.empty() ? "." : folder);
  return Ok{};
}

}  // namespace cambium

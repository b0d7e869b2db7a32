#include "base/file.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_writer.h"
#include "base/launch.h"

namespace cambium {
namespace {

std::string error_text(int error) {
  return std::generic_category().message(error);
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::int64_t limit) {
  // Non-blocking, or opening a pipe nobody writes to would wait for ever.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
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
  CAMBIUM_TRY(FileWriter file, FileWriter::create(path));
  CAMBIUM_REQUIRE(file.write(content));
  return file.finish();
}

}  // namespace cambium
